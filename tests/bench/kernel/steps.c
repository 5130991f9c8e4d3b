/*
 * bench-steps ADDRESS COMMAND...: callgrind's count of instructions for those that valgrind does
 * not know. Runs a position-independent COMMAND, lets the processor stop after every instruction
 * while the function at ADDRESS (hexadecimal, in the file) runs, and prints how often each
 * instruction was executed to standard error: "address count" a line, addresses in the file. Linux
 * on x86-64 only. 40,000 instructions take a second in a virtual machine.
 */
#define _GNU_SOURCE /* affinity */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/usage.h"

enum { CODE_MOST = 16 << 20, TRAP = 0xcc };

struct steps {
    pid_t child;
    uint64_t base, entry; /* where the file begins in memory, the function's first instruction */
    uint64_t *counts;     /* of each of the file's first CODE_MOST bytes; owned */
};

static void die(const char *what)
{
    fprintf(stderr, "bench-steps: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct user_regs_struct registers_of(pid_t child)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, child, NULL, &registers) != 0)
        die("reading registers");
    return registers;
}

static uint64_t word_at(pid_t child, uint64_t address)
{
    errno = 0;
    const long word = ptrace(PTRACE_PEEKTEXT, child, address, NULL);
    if (errno != 0)
        die("reading memory");
    return (uint64_t)word;
}

/* False: it ended; if badly, so do we, for it has said why. */
static bool stopped(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) != child)
        die("waiting");
    if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0))
        exit(1);
    return WIFSTOPPED(status);
}

/* Where the kernel put the file: the first line of its map. */
static uint64_t base_of(pid_t child)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)child);
    FILE *maps = fopen(path, "r");
    if (!maps || !fgets(line, sizeof line, maps))
        die(path);
    fclose(maps);
    return strtoull(line, NULL, 16);
}

/* Child and parent take turns: on one processor they need not wake another each time. */
static void processor_keep(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        die("keeping to one processor");
}

static void command_start(struct steps *steps, uint64_t address, char **words)
{
    steps->child = fork();
    if (steps->child < 0)
        die("fork");
    if (steps->child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(words[0], words);
        die(words[0]);
    }
    if (!stopped(steps->child))
        die(words[0]);
    steps->base = base_of(steps->child);
    steps->entry = steps->base + address;
}

/* From the function's first instruction, where the child is, to its return. */
static void function_step(struct steps *steps)
{
    struct user_regs_struct registers = registers_of(steps->child);
    const uint64_t stack = registers.rsp;
    while (registers.rsp <= stack) {
        const uint64_t place = registers.rip - steps->base;
        if (place < CODE_MOST)
            steps->counts[place]++;
        if (ptrace(PTRACE_SINGLESTEP, steps->child, NULL, NULL) != 0 || !stopped(steps->child))
            die("stepping");
        registers = registers_of(steps->child);
    }
}

/* Every call of the function, found by a trap at its first instruction. */
static void command_step(struct steps *steps)
{
    const pid_t child = steps->child;
    const uint64_t word = word_at(child, steps->entry);
    for (;;) {
        ptrace(PTRACE_POKETEXT, child, steps->entry, (word & ~UINT64_C(0xff)) | TRAP);
        ptrace(PTRACE_CONT, child, NULL, NULL);
        if (!stopped(child))
            return;
        struct user_regs_struct registers = registers_of(child);
        if (registers.rip != steps->entry + 1)
            die("stopped elsewhere");
        registers.rip = steps->entry;
        ptrace(PTRACE_SETREGS, child, NULL, &registers);
        ptrace(PTRACE_POKETEXT, child, steps->entry, word);
        function_step(steps);
    }
}

static const char usage_text[] =
    "usage: bench-steps ADDRESS COMMAND...\n"
    "Runs the command and counts how often each instruction from ADDRESS on is executed.\n";

int main(int count, char **words)
{
    if (usage_asked(count, words, usage_text))
        return 0;
    if (count < 3) {
        fputs(usage_text, stderr);
        return 2;
    }
    struct steps steps = {.counts = calloc(CODE_MOST, sizeof *steps.counts)};
    if (!steps.counts)
        die("counts");
    processor_keep();
    command_start(&steps, strtoull(words[1], NULL, 16), words + 2);
    command_step(&steps);
    for (uint64_t i = 0; i < CODE_MOST; i++)
        if (steps.counts[i] > 0)
            fprintf(stderr, "%" PRIx64 "\t%" PRIu64 "\n", i, steps.counts[i]);
    free(steps.counts);
    return 0;
}
