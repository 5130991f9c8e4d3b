/* A command for tests, which does what its words, or the lines that it reads, tell it. With words
 * it does them one after the other; without, it reads lines, does the words of each, and flushes.
 *
 *     say=TEXT   a line on standard output      warn=TEXT  on standard error
 *     part=TEXT  without a newline              wide=N     a line of N letters
 *     exit=N     end with that code             kill=N     be killed by that signal
 *     sleep      for longer than any test       stubborn   ignore SIGTERM
 *     deaf       close standard input           mute       close standard output
 *     leave      leave a process behind, which holds standard output
 *     once=FILE  make FILE and end with code 9, unless it is there already
 *     fill=N     take N megabytes of memory
 *     hold       hold answers back until the input ends
 *     echo       read all input and write it, as it comes, in small pieces
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 777, FOREVER_S = 1000000 };

static void echo(void)
{
    char bytes[PIECE];
    for (ssize_t count; (count = read(0, bytes, sizeof bytes)) > 0;)
        if (write(1, bytes, (size_t)count) != count)
            _exit(1);
}

static void wide(long count)
{
    for (long i = 0; i < count; i++)
        putchar("abcdefgh"[i % 8]);
    putchar('\n');
}

static void once(const char *file)
{
    const int fd = open(file, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (fd >= 0) {
        fflush(NULL);
        _exit(9);
    }
}

/* Given back with the process. */
static void fill(long megabytes)
{
    const size_t size = (size_t)megabytes * 1000000;
    char *bytes = malloc(size);
    for (size_t i = 0; bytes && i < size; i += 4096)
        ((volatile char *)bytes)[i] = 1;
}

static void stay(void)
{
    sleep(FOREVER_S);
    _exit(1);
}

static void verb_do(const char *verb, const char *value, long number)
{
    if (strcmp(verb, "say") == 0)
        puts(value);
    else if (strcmp(verb, "part") == 0)
        fputs(value, stdout);
    else if (strcmp(verb, "warn") == 0)
        fprintf(stderr, "%s\n", value);
    else if (strcmp(verb, "wide") == 0)
        wide(number);
    else if (strcmp(verb, "exit") == 0)
        exit((int)number);
    else if (strcmp(verb, "kill") == 0)
        fflush(NULL), kill(getpid(), (int)number), stay();
    else if (strcmp(verb, "sleep") == 0)
        fflush(NULL), stay();
    else if (strcmp(verb, "stubborn") == 0)
        signal(SIGTERM, SIG_IGN);
    else if (strcmp(verb, "deaf") == 0)
        close(0);
    else if (strcmp(verb, "mute") == 0)
        close(1);
    else if (strcmp(verb, "once") == 0)
        once(value);
    else if (strcmp(verb, "fill") == 0)
        fill(number);
    else if (strcmp(verb, "echo") == 0)
        echo();
    else if (strcmp(verb, "leave") == 0 && fork() == 0)
        stay();
}

static void word_do(char *word)
{
    char *value = strchr(word, '=');
    if (value)
        *value++ = '\0';
    verb_do(word, value ? value : "", value ? strtol(value, NULL, 10) : 0);
}

int main(int argc, char **argv)
{
    static char line[1 << 22];
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "hold") != 0)
            word_do(argv[i]);
    const int hold = argc > 1 && strcmp(argv[1], "hold") == 0;
    while ((argc < 2 || hold) && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
            word_do(word);
        if (!hold)
            fflush(NULL);
    }
    return 0;
}
