/*
 * Files that are written by this program alone: a symbolic link in the place of one, which somebody
 * else may have put there, is not followed, and whatever is no regular file is not opened.
 */
#ifndef PLANNER_BASE_OWN_H
#define PLANNER_BASE_OWN_H

#include <stdbool.h>
#include <stdio.h>

/* One that is there, with O_RDWR or the like; closed on exec. Negative, with errno: ELOOP where it
 * is a link, EINVAL where it is no regular file. */
int own_open(const char *path, int flags);
/* A new one, for writing. Negative, with errno: EEXIST where anything has that name. */
int own_make(const char *path);
/* The one that is there, or else a new one. */
int own_open_or_make(const char *path);
/* A new, empty one, for writing; what is left there of a program that was killed goes first. NULL,
 * with errno. */
FILE *own_create(const char *path);
/* May anybody remove or replace what is in the folder of this file? (It is writable for all, and
 * without the sticky bit.) */
bool own_folder_is_anybodys(const char *path);

#endif
