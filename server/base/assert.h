/* SPDX-License-Identifier: Apache-2.0
 *
 * Assertions against our own mistakes, never against a peer's bytes.
 *
 * QD_ASSERT stays on in release builds: it is cheap, and a server with a broken invariant gives wrong answers.
 * QD_VALIDATE is for checks of a whole structure, in debug and test builds only (QD_VALIDATE_ON).
 */
#ifndef QD_BASE_ASSERT_H
#define QD_BASE_ASSERT_H

#define QD_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define QD_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#define QD_ASSERT(condition) (QD_LIKELY(condition) ? (void)0 : qd_assert_fail(#condition, __FILE__, __LINE__, __func__))

#ifdef QD_VALIDATE_ON
#define QD_VALIDATE(condition) QD_ASSERT(condition)
#else
#define QD_VALIDATE(condition) ((void)0)
#endif

/* Prints the place and the condition to stderr and aborts. */
_Noreturn void qd_assert_fail(const char *condition, const char *file, int line, const char *function);

#endif
