/*
 * Files that only this program writes. A symbolic link of that name, which somebody else may have
 * put there, is not followed; anything but a regular file is not opened.
 */
#ifndef PLANNER_BASE_OWN_H
#define PLANNER_BASE_OWN_H

#include <stdbool.h>
#include <stdio.h>

/* Open an existing file; `flags` as O_RDWR, to which O_CLOEXEC is added. Negative, with errno:
 * ELOOP if it is a symbolic link, EINVAL if it is no regular file. */
int own_open(const char *path, int flags);
/* Create a file for writing. Negative, with errno: EEXIST if anything has that name. */
int own_make(const char *path);
/* Open the existing file for writing, or create it. */
int own_open_or_make(const char *path);
/* Create an empty file for writing, in place of one that a killed program left. NULL, with errno.
 */
FILE *own_create(const char *path);
/* Let this file's directory reach the disk: behind a rename, or a power failure may take the new
 * name back. Where directories cannot be flushed, there is nothing to be done. False, with errno.
 */
bool own_folder_flush(const char *path);
/* May every user remove or replace files in this file's directory? (It is writable for all and has
 * no sticky bit.) */
bool own_folder_is_anybodys(const char *path);

#endif
