#!/usr/bin/env python3
"""Manual pages of all commands, and completions for bash and zsh, from the tables that make --help.

    python3 jobs/package/generate.py SCOW FOLDER MPIEXEC...

SCOW is the built command, MPIEXEC what starts its parallel ones. Writes man/ and completion/ below
FOLDER: after a change of options, jobs/package. A test (cli-generated) tells when they are old."""

import itertools
import os
import pathlib
import re
import subprocess
import sys

FILES = {"FILE", "./FILE.so", "PROFILE", "PLAN", "INPUT", "IMAGE", "OUT.h5"}
FOLDERS = {"DIR"}
PARALLEL = {"calibrate", "go", "run"}
PARAMETRIC = ("calibrate", "go")  # with the options of core tasks
OPERANDS = {"report", "run", "serve", "show", "simulate", "work"}  # those that are files
LAUNCHERS = "mpiexec mpiexec.mpich mpiexec.hydra mpirun mpirun.mpich"
EXITS = [("0", "Done."), ("1", "Failed."), ("2", "The command line is wrong."),
         ("3", "No plan is feasible."), ("4", "Profile, plan, input or output do not match."),
         ("75", "Stopped as asked, with everything so far kept: run again with \\-\\-resume.")]


class Option:
    """A row of a command's table."""

    def __init__(self, letter, name, argument, text):
        self.letter, self.name, self.argument, self.text = letter, name, argument, text


class Table:
    """What a command says of its options."""

    def __init__(self, text):
        self.options, self.notes, self.list, self.usage, self.purpose = [], [], [], "", ""
        for line in text.splitlines():
            kind, _, rest = line.partition("\t")
            if kind == "option":
                self.options.append(Option(*rest.split("\t")))
            elif kind == "note":
                self.notes.append(rest)
            elif kind in ("usage", "purpose") and rest:
                setattr(self, kind, rest)
            elif line:
                self.list.append(line)

    def listed(self, head):
        """The words that the list explains below that head."""
        lines = iter(self.list)
        for line in lines:
            if line.startswith(head):
                break
        below = itertools.takewhile(lambda line: line.startswith(" "), lines)
        return [match[1] for match in (re.match(r"  (\S+)  ", line) for line in below) if match]


class Program:
    """The built scow, asked for what it knows."""

    def __init__(self, scow, launcher):
        self.scow, self.launcher = scow, launcher
        self.commands = dict(re.findall(r"^  (\S+)  +(.*)$", self.say("--help"), re.M))
        self.kernels = [name for name in re.findall(r"^(\S+)", self.say("tasks"), re.M) if "/" not in name]
        self.tables = {command: self.table(command) for command in self.commands}
        by_kernel = {name: self.table("calibrate", "-k", name) for name in self.kernels}
        shared = set.intersection(*({option.name for option in table.options} for table in by_kernel.values()))
        self.parameters = {name: [option for option in table.options if option.name not in shared]
                           for name, table in by_kernel.items()}

    def say(self, *words):
        # No line of a summary is broken.
        return subprocess.run([self.scow, *words], check=True, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "COLUMNS": "1000"}).stdout

    def table(self, command, *words):
        start = [*self.launcher, "-n", "1"] if command in PARALLEL else []
        return Table(subprocess.run([*start, self.scow, command, *words, "--help-table"], check=True,
                                    stdout=subprocess.PIPE, text=True).stdout)

    def options(self, command):
        """Without the parameters of core tasks, which are kept apart."""
        own = {option.name for options in self.parameters.values() for option in options}
        return [option for option in self.tables[command].options
                if command not in PARAMETRIC or option.name not in own]

    def choices(self, command, option):
        """The words that an option's value can be, beside files."""
        if option.name == "kernel" and command in PARAMETRIC:
            return self.kernels
        if option.name == "scheduler" and command == "plan":
            return self.tables["plan"].listed("Schedulers")
        if option.name == "model":
            return self.tables["plan"].listed("Operating models")
        if option.argument and option.argument.startswith("RULE"):
            return self.tables["simulate"].listed("Rules")
        return []


# ---- manual pages ---------------------------------------------------------------------------------


def roff(text):
    """Text as troff reads it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def option_paragraph(option):
    names = ([f"\\fB\\-{option.letter}\\fR"] if option.letter else []) + [f"\\fB\\-\\-{roff(option.name)}\\fR"]
    argument = f" \\fI{roff(option.argument)}\\fR" if option.argument else ""
    sentence = option.text[:1].upper() + option.text[1:] + "."
    return [".TP", ", ".join(names) + argument, roff(sentence)]


def synopsis(program, command):
    uses = re.split(r",? or (?=scow )", program.tables[command].usage)
    start = "mpiexec \\-n P+1 " if command in PARALLEL and command != "go" else ""
    named = [use.replace(f"scow {command}", f"\\fB{start}scow {command}\\fR", 1) for use in map(roff, uses)]
    return [line for use in named for line in (use, ".br")][:-1]


def list_paragraphs(lines):
    """'Schedulers:', then their names and what they are; those of options of theirs stand deeper."""
    page = []
    for line in lines:
        match = re.match(r" +(\S+) +(.*)$", line)
        if not match:
            page.append(f".SH {roff(line.split(' (')[0].rstrip(':')).upper()}")
            continue
        entry = [".TP", f"\\fB{roff(match[1])}\\fR", roff(match[2])]
        page += entry if re.match(r"  \S", line) else [".RS", *entry, ".RE"]
    return page


def man_page(program, command):
    table = program.tables[command]
    page = [f'.TH SCOW-{command.upper()} 1 "" "scow" "User Commands"',
            '.\\" Made by jobs/package/generate.py from the tables that make --help.',
            ".SH NAME", f"scow\\-{command} \\- {roff(program.commands[command].split(': mpiexec')[0].split(': scow')[0])}",
            ".SH SYNOPSIS", *synopsis(program, command), ".SH DESCRIPTION", roff(table.purpose)]
    if table.notes:
        notes = " ".join(table.notes).split(" Exit: ")[0].split("Exit: ")[0].strip()
        page += [".PP", roff(notes)] if notes else []
    page.append(".SH OPTIONS")
    for option in program.options(command):
        page += option_paragraph(option)
    if command in PARAMETRIC:
        page += [".SH PARAMETERS OF CORE TASKS", "Profile and plan carry them."]
        for kernel, options in program.parameters.items():
            page += [f".SS {roff(kernel)}", *(line for option in options for line in option_paragraph(option))]
    page += list_paragraphs(table.list)
    page.append(".SH EXIT STATUS")
    for code, meaning in EXITS:
        page += [".TP", f"\\fB{code}\\fR", meaning]
    others = [name for name in program.commands if name != command]
    page += [".SH SEE ALSO", ", ".join(["\\fBscow\\fR(1)", *(f"\\fBscow\\-{name}\\fR(1)" for name in others)])]
    return "\n".join(page) + "\n"


# ---- bash -----------------------------------------------------------------------------------------

BASH_HEAD = """# Completion of scow for bash. Made by jobs/package/generate.py from the tables that make --help.
# shellcheck shell=bash

# Words that begin with the one being typed, or files.
_scow_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}
_scow_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# The value after -k or --kernel, or the usual core task.
_scow_kernel() {
    local i
    for ((i = 1; i < ${#COMP_WORDS[@]} - 1; i++)); do
        case ${COMP_WORDS[i]} in
        -k | --kernel) echo "${COMP_WORDS[i + 1]}" && return ;;
        esac
    done
    echo @DEFAULT@
}

"""

BASH_TAIL = """# Complete the command line from word $1 on, which is scow.
_scow_from() {
    local at=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command
    COMPREPLY=()
    if [[ $word == '=' ]]; then # --name=VALUE comes as three words
        word=
    elif [[ $before == '=' ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == at + 1)); then
        _scow_words "@COMMANDS@ --help --version" "$word"
        return
    fi
    command=${COMP_WORDS[at + 1]}
    _scow_value "$command" "$before" "$word" && return
    case $command:$word in
@OPTIONS@
    tasks:*) _scow_words "@KERNELS@" "$word" ;;
@OPERANDS@) _scow_files -f "$word" ;;
    esac
}

_scow() {
    _scow_from 0
}

# Of a launcher's command line, the part behind scow; files before it.
_scow_launched() {
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        scow | */scow) _scow_from "$i" && return ;;
        esac
    done
    COMPREPLY=()
}

complete -F _scow scow
# What already completes a launcher's command line is left in its place.
for _scow_launcher in @LAUNCHERS@; do
    complete -p "$_scow_launcher" &>/dev/null || complete -o bashdefault -o default -F _scow_launched "$_scow_launcher"
done
unset _scow_launcher
"""


def flags(options):
    return " ".join(f"--{option.name}" for option in options)


def bash_value(program, command, option):
    """A row of the case that completes values; none for what cannot be known."""
    names = " | ".join(f"{command}:-{word}" for word in ([option.letter] if option.letter else []) + [f"-{option.name}"])
    words = program.choices(command, option)
    if words:
        return f'    {names}) _scow_words "{" ".join(words)}" "$3" ;;'
    kind = "-f" if option.argument in FILES else "-d" if option.argument in FOLDERS else None
    return f'    {names}) _scow_files {kind} "$3" ;;' if kind else f"    {names}) ;;"


def bash_values(program):
    rows = ["# What follows an option: COMMAND OPTION WORD. False: that one takes nothing.", "_scow_value() {",
            "    case $1:$2 in"]
    for command in program.commands:
        rows += [bash_value(program, command, option) for option in program.options(command) if option.argument]
    names = sorted({option.name for options in program.parameters.values() for option in options if option.argument})
    rows += [f"    {' | '.join(f'{command}:--{name}' for command in PARAMETRIC for name in names)}) ;;", "    *) return 1 ;;", "    esac", "}", ""]
    return "\n".join(rows) + "\n"


def bash_parameters(program):
    rows = ["# Options that only this core task has.", "_scow_parameters() {", "    case $1 in"]
    rows += [f'    {name}) echo "{flags(options)}" ;;' for name, options in program.parameters.items() if options]
    return "\n".join(rows + ["    esac", "}", ""]) + "\n"


def bash(program):
    own = {command: flags(program.options(command)) for command in program.commands}
    for command in PARAMETRIC:
        own[command] += ' $(_scow_parameters "$(_scow_kernel)")'
    options = "\n".join(f'    {command}:-*) _scow_words "{words}" "$word" ;;' for command, words in own.items())
    operands = " | ".join(f"    {command}:*" if k == 0 else f"{command}:*" for k, command in enumerate(sorted(OPERANDS)))
    text = BASH_HEAD + bash_values(program) + bash_parameters(program) + BASH_TAIL
    for place, words in {"DEFAULT": "matched-filter", "COMMANDS": " ".join(program.commands), "OPTIONS": options,
                         "KERNELS": " ".join(program.kernels), "OPERANDS": operands, "LAUNCHERS": LAUNCHERS}.items():
        text = text.replace(f"@{place}@", words)
    return text


# ---- zsh ------------------------------------------------------------------------------------------

ZSH_TAIL = """
_scow_kernel() {
    local at=${words[(I)(-k|--kernel)]}
    REPLY=@DEFAULT@
    (( at > 0 && at + 1 < CURRENT )) && REPLY=${words[at+1]}
}

_scow_command() {
    local -a commands
    commands=(@COMMANDS@)
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local name=$words[2]
    shift words
    (( CURRENT-- ))
    (( $+functions[_scow_$name] )) && _scow_$name
}

# Behind a launcher, the part from scow on.
local at=1
if [[ $service != scow ]]; then
    at=${words[(i)(scow|*/scow)]}
    if (( at >= CURRENT )); then
        _default
        return
    fi
fi
words=("${(@)words[at,-1]}")
(( CURRENT -= at - 1 ))
_scow_command "$@"
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_action(program, command, option):
    words = program.choices(command, option)
    if words:
        return f"({' '.join(words)})"
    return "_files" if option.argument in FILES else "_files -/" if option.argument in FOLDERS else " "


def zsh_option(program, command, option):
    text = f"[{zsh_text(option.text)}]"
    if option.argument:
        text += f":{zsh_text(option.argument)}:{zsh_action(program, command, option)}"
    name = f"--{option.name}" + ("=" if option.argument else "")
    if not option.letter:
        return [quoted(name + text)]
    letter = f"-{option.letter}" + ("+" if option.argument else "")
    both = f"(-{option.letter} --{option.name})"
    return [quoted(both + letter + text), quoted(both + name + text)]


def zsh_arguments(program, command, options, more=()):
    rows = [row for option in options for row in zsh_option(program, command, option)]
    rows += more
    if command in OPERANDS:
        rows.append("'*:file:_files'")
    if command == "tasks":
        rows.append(f"'1:core task:({' '.join(program.kernels)})'")
    return "    _arguments -s \\\n" + " \\\n".join(f"        {row}" for row in rows) + "\n"


def zsh(program):
    text = f"#compdef scow {LAUNCHERS}\n# Made by jobs/package/generate.py from the tables that make --help.\n"
    for command in program.commands:
        more, before = [], ""
        if command in PARAMETRIC:
            more = ["$parameters"]
            rows = "".join(f"    {kernel}) parameters=(\n" + "".join(
                f"        {row}\n" for option in options for row in zsh_option(program, command, option)) + "    ) ;;\n"
                for kernel, options in program.parameters.items() if options)
            before = f"    local -a parameters\n    local REPLY\n    _scow_kernel\n    case $REPLY in\n{rows}    esac\n"
        text += f"\n_scow_{command}() {{\n{before}{zsh_arguments(program, command, program.options(command), more)}}}\n"
    commands = " ".join(quoted(f"{name}:{zsh_text(summary)}") for name, summary in program.commands.items())
    return text + ZSH_TAIL.replace("@COMMANDS@", commands).replace("@DEFAULT@", "matched-filter")


def main():
    if len(sys.argv) < 4:
        sys.exit(print(__doc__) if {"-h", "--help"} & set(sys.argv) else __doc__)
    program = Program(sys.argv[1], sys.argv[3:])
    folder = pathlib.Path(sys.argv[2])
    files = {f"man/scow-{command}.1": man_page(program, command) for command in program.commands}
    files["completion/scow.bash"] = bash(program)
    files["completion/_scow"] = zsh(program)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


main()
