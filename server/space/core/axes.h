/* SPDX-License-Identifier: Apache-2.0
 *
 * The space is compiled twice, for two axes and for three: every file of this folder but space.c and geometry.c, with
 * QD_AXES 2 and 3. What depends on the number of axes is defined here; loops over axes are short and of a constant
 * length, so compilers unroll them.
 *
 * The build links the objects of each dimension into one and makes every name in it local but the entry points of
 * space_nd.h, which QD_ND gives _2d or _3d. A linker and objcopy do this for every compiler and sanitizer, without a
 * list of names. Tests of internals link the plain objects of one dimension.
 */
#ifndef QD_SPACE_CORE_AXES_H
#define QD_SPACE_CORE_AXES_H

#if !defined(QD_AXES) || (QD_AXES != 2 && QD_AXES != 3)
#error "compile with -DQD_AXES=2 or -DQD_AXES=3"
#endif

#define QD_EDGES    (2 * QD_AXES)   /* of a box: the lower ones, then the upper ones */
#define QD_CHILDREN (1u << QD_AXES) /* of a cell */

/* A row's floats, so that rows are aligned: 16 or 32 bytes. The upper edges begin at QD_ROW_HIGH; what is between is 0.
 */
#if QD_AXES == 2
#define QD_ROW_FLOATS       4u
#define QD_TREE_DEPTH_MAX   QD_SPACE_QUADTREE_DEPTH_MAX
#define QD_SPARSE_DEPTH_MAX QD_SPACE_SPARSE_DEPTH_MAX_2D
#else
#define QD_ROW_FLOATS       8u
#define QD_TREE_DEPTH_MAX   QD_SPACE_OCTREE_DEPTH_MAX
#define QD_SPARSE_DEPTH_MAX QD_SPACE_SPARSE_DEPTH_MAX_3D
#endif
#define QD_ROW_HIGH (QD_ROW_FLOATS / 2)

/* Rows are worked on in fours, which every processor can do at once: in two dimensions both corners are one four, in
 * three each is one. QD_FOUR initializes one with what is the same for both corners. */
#define QD_FOURS (QD_ROW_FLOATS / 4)
/* clang-format off */
#if QD_AXES == 2
#define QD_FOUR(x, y, z) {x, y, x, y}
#else
#define QD_FOUR(x, y, z) {x, y, z, 0}
#endif
/* clang-format on */

#define QD_ND_2(name, axes) name##_##axes##d
#define QD_ND_1(name, axes) QD_ND_2(name, axes)
#define QD_ND(name)         QD_ND_1(name, QD_AXES)

#endif
