# cmake -DOUTPUT=FILE.c -DSYMBOL=NAME "-DFILES=A;B" -P embed.cmake: the files, one after another, as
# the bytes of `const struct embedded NAME` (planner/report/html/embedded.h).
set(bytes "")
foreach(file IN LISTS FILES)
    file(READ ${file} hex HEX)
    string(APPEND bytes ${hex})
endforeach()
string(LENGTH "${bytes}" digits)
math(EXPR length "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"planner/report/html/embedded.h\"\n
static const unsigned char bytes[] = {\n${bytes}};\n
const struct embedded ${SYMBOL} = {bytes, ${length}};\n")
