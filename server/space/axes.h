/* SPDX-License-Identifier: Apache-2.0
 *
 * The space is compiled twice, once for two dimensions and once for three: every file of this folder but space.c,
 * array.c and solid.c, with QD_AXES 2 and 3. What depends on the number of axes is said here and used by these names;
 * loops over axes are short and of a constant length, so compilers unroll them.
 *
 * So that both can be in one program, names that the linker sees get the number of axes behind them: qd_rows_insert is
 * qd_rows_insert_2d or qd_rows_insert_3d. The list at the end names them all; a test fails when one is missing.
 */
#ifndef QD_SPACE_AXES_H
#define QD_SPACE_AXES_H

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

#define QD_AXED_2(name, axes) name##_##axes##d
#define QD_AXED_1(name, axes) QD_AXED_2(name, axes)
#define QD_AXED(name)         QD_AXED_1(name, QD_AXES)

/* The names that the linker sees, by file. */
#define qd_bodies_init QD_AXED(qd_bodies_init)

#endif
