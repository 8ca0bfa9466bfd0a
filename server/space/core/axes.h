/* SPDX-License-Identifier: Apache-2.0
 *
 * The space is compiled twice, once for two dimensions and once for three: every file of this folder but space.c,
 * array.c and solid.c, with QD_AXES 2 and 3. What depends on the number of axes is said here and used by these names;
 * loops over axes are short and of a constant length, so compilers unroll them.
 *
 * So that both can be in one program, names that the linker sees get the number of axes behind them: qd_rows_insert is
 * qd_rows_insert_2d or qd_rows_insert_3d. The list at the end names them all; a test fails when one is missing.
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

#define QD_AXED_2(name, axes) name##_##axes##d
#define QD_AXED_1(name, axes) QD_AXED_2(name, axes)
#define QD_AXED(name)         QD_AXED_1(name, QD_AXES)

/* The names that the linker sees, by file. */

/* arrange */
#define qd_arrange16     QD_AXED(qd_arrange16)
#define qd_arrange8      QD_AXED(qd_arrange8)
#define qd_arranger_free QD_AXED(qd_arranger_free)

/* auto */
#define qd_auto_first   QD_AXED(qd_auto_first)
#define qd_auto_fit     QD_AXED(qd_auto_fit)
#define qd_auto_in_vain QD_AXED(qd_auto_in_vain)
#define qd_auto_init    QD_AXED(qd_auto_init)
#define qd_auto_next    QD_AXED(qd_auto_next)

/* bodies */
#define qd_bodies_change         QD_AXED(qd_bodies_change)
#define qd_bodies_deinit         QD_AXED(qd_bodies_deinit)
#define qd_bodies_any_aloof      QD_AXED(qd_bodies_any_aloof)
#define qd_bodies_filter_class   QD_AXED(qd_bodies_filter_class)
#define qd_bodies_filter_set     QD_AXED(qd_bodies_filter_set)
#define qd_bodies_freed_reserve  QD_AXED(qd_bodies_freed_reserve)
#define qd_bodies_give           QD_AXED(qd_bodies_give)
#define qd_bodies_init           QD_AXED(qd_bodies_init)
#define qd_bodies_radius_reserve QD_AXED(qd_bodies_radius_reserve)
#define qd_bodies_radius_set     QD_AXED(qd_bodies_radius_set)
#define qd_bodies_solid          QD_AXED(qd_bodies_solid)
#define qd_bodies_take           QD_AXED(qd_bodies_take)

/* flat */
#define qd_flat_count       QD_AXED(qd_flat_count)
#define qd_flat_create      QD_AXED(qd_flat_create)
#define qd_flat_extent      QD_AXED(qd_flat_extent)
#define qd_flat_holds       QD_AXED(qd_flat_holds)
#define qd_flat_is_due      QD_AXED(qd_flat_is_due)
#define qd_flat_locate      QD_AXED(qd_flat_locate)
#define qd_flat_move        QD_AXED(qd_flat_move)
#define qd_flat_move_avx2   QD_AXED(qd_flat_move_avx2)
#define qd_flat_move_avx512 QD_AXED(qd_flat_move_avx512)
#define qd_flat_move_within QD_AXED(qd_flat_move_within)
#define qd_flat_reserve     QD_AXED(qd_flat_reserve)

/* grid */
#define qd_grid_note_walk  QD_AXED(qd_grid_note_walk)
#define qd_grid_plan       QD_AXED(qd_grid_plan)
#define qd_grid_relay      QD_AXED(qd_grid_relay)
#define qd_grid_sort       QD_AXED(qd_grid_sort)
#define qd_grid_words_free QD_AXED(qd_grid_words_free)
#define qd_grid_work       QD_AXED(qd_grid_work)

/* hash */
#define qd_hash_fill_table  QD_AXED(qd_hash_fill_table)
#define qd_hash_line        QD_AXED(qd_hash_line)
#define qd_hash_need        QD_AXED(qd_hash_need)
#define qd_hash_plan_again  QD_AXED(qd_hash_plan_again)
#define qd_hash_plan_is_due QD_AXED(qd_hash_plan_is_due)
#define qd_hash_pool_free   QD_AXED(qd_hash_pool_free)
#define qd_hash_pool_init   QD_AXED(qd_hash_pool_init)
#define qd_hash_range_next  QD_AXED(qd_hash_range_next)
#define qd_hash_range_start QD_AXED(qd_hash_range_start)
#define qd_hash_resize      QD_AXED(qd_hash_resize)
#define qd_hash_search      QD_AXED(qd_hash_search)
#define qd_hash_show        QD_AXED(qd_hash_show)
#define qd_hash_walk        QD_AXED(qd_hash_walk)
#define qd_hash_walk_begin  QD_AXED(qd_hash_walk_begin)
#define qd_hash_walk_end    QD_AXED(qd_hash_walk_end)

/* index */
#define qd_brute_create    QD_AXED(qd_brute_create)
#define qd_grid_create     QD_AXED(qd_grid_create)
#define qd_hash_create     QD_AXED(qd_hash_create)
#define qd_quadtree_create QD_AXED(qd_quadtree_create)
#define qd_sparse_create   QD_AXED(qd_sparse_create)

/* kernel */
#define qd_kernel_at       QD_AXED(qd_kernel_at)
#define qd_kernel_avx2     QD_AXED(qd_kernel_avx2)
#define qd_kernel_avx512   QD_AXED(qd_kernel_avx512)
#define qd_kernel_chosen   QD_AXED(qd_kernel_chosen)
#define qd_kernel_neon     QD_AXED(qd_kernel_neon)
#define qd_kernel_portable QD_AXED(qd_kernel_portable)
#define qd_kernel_select   QD_AXED(qd_kernel_select)
#define qd_list16_free     QD_AXED(qd_list16_free)
#define qd_list16_reserve  QD_AXED(qd_list16_reserve)
#define qd_list8_free      QD_AXED(qd_list8_free)
#define qd_list8_reserve   QD_AXED(qd_list8_reserve)
#define qd_pair_fetch      QD_AXED(qd_pair_fetch)
#define qd_pair_resolve    QD_AXED(qd_pair_resolve)
#define qd_rows_pass       QD_AXED(qd_rows_pass)
#define qd_sink_open       QD_AXED(qd_sink_open)

/* quadtree */
#define qd_plan_again                 QD_AXED(qd_plan_again)
#define qd_plan_drop                  QD_AXED(qd_plan_drop)
#define qd_plan_first                 QD_AXED(qd_plan_first)
#define qd_plan_is_crowded            QD_AXED(qd_plan_is_crowded)
#define qd_plan_is_due                QD_AXED(qd_plan_is_due)
#define qd_quadtree_cell_of           QD_AXED(qd_quadtree_cell_of)
#define qd_quadtree_holds             QD_AXED(qd_quadtree_holds)
#define qd_quadtree_leave             QD_AXED(qd_quadtree_leave)
#define qd_quadtree_leave_all         QD_AXED(qd_quadtree_leave_all)
#define qd_quadtree_leave_fetch       QD_AXED(qd_quadtree_leave_fetch)
#define qd_quadtree_leave_fetch_lists QD_AXED(qd_quadtree_leave_fetch_lists)
#define qd_quadtree_look              QD_AXED(qd_quadtree_look)
#define qd_quadtree_move              QD_AXED(qd_quadtree_move)
#define qd_quadtree_move_avx2         QD_AXED(qd_quadtree_move_avx2)
#define qd_quadtree_move_avx512       QD_AXED(qd_quadtree_move_avx512)
#define qd_quadtree_move_within       QD_AXED(qd_quadtree_move_within)
#define qd_quadtree_occupy            QD_AXED(qd_quadtree_occupy)
#define qd_quadtree_part              QD_AXED(qd_quadtree_part)
#define qd_quadtree_search            QD_AXED(qd_quadtree_search)
#define qd_quadtree_validate          QD_AXED(qd_quadtree_validate)
#define qd_quadtree_walk              QD_AXED(qd_quadtree_walk)
#define qd_quadtree_walk_begin        QD_AXED(qd_quadtree_walk_begin)
#define qd_quadtree_walk_end          QD_AXED(qd_quadtree_walk_end)
#define qd_quadtree_within_avx2       QD_AXED(qd_quadtree_within_avx2)
#define qd_quadtree_within_avx512     QD_AXED(qd_quadtree_within_avx512)

/* registry */
#define qd_change_is_reshape  QD_AXED(qd_change_is_reshape)
#define qd_registry_add       QD_AXED(qd_registry_add)
#define qd_registry_change    QD_AXED(qd_registry_change)
#define qd_registry_deinit    QD_AXED(qd_registry_deinit)
#define qd_registry_fetch     QD_AXED(qd_registry_fetch)
#define qd_registry_forget    QD_AXED(qd_registry_forget)
#define qd_registry_hand_over QD_AXED(qd_registry_hand_over)
#define qd_registry_heal      QD_AXED(qd_registry_heal)
#define qd_registry_prepare   QD_AXED(qd_registry_prepare)
#define qd_registry_reflag    QD_AXED(qd_registry_reflag)
#define qd_registry_remove    QD_AXED(qd_registry_remove)
#define qd_registry_reserve   QD_AXED(qd_registry_reserve)
#define qd_registry_split     QD_AXED(qd_registry_split)
#define qd_registry_transfer  QD_AXED(qd_registry_transfer)
#define qd_registry_update    QD_AXED(qd_registry_update)
#define qd_registry_validate  QD_AXED(qd_registry_validate)

/* relay */
#define qd_relay_note QD_AXED(qd_relay_note)
#define qd_relay_row  QD_AXED(qd_relay_row)
#define qd_row_box    QD_AXED(qd_row_box)
#define qd_scan_next  QD_AXED(qd_scan_next)

/* root */
#define qd_root_choose  QD_AXED(qd_root_choose)
#define qd_root_frame   QD_AXED(qd_root_frame)
#define qd_root_of      QD_AXED(qd_root_of)
#define qd_shells_count QD_AXED(qd_shells_count)
#define qd_shells_init  QD_AXED(qd_shells_init)

/* rows */
#define qd_rows_clear      QD_AXED(qd_rows_clear)
#define qd_rows_commit_all QD_AXED(qd_rows_commit_all)
#define qd_rows_deinit     QD_AXED(qd_rows_deinit)
#define qd_rows_flag       QD_AXED(qd_rows_flag)
#define qd_rows_init       QD_AXED(qd_rows_init)
#define qd_rows_insert     QD_AXED(qd_rows_insert)
#define qd_rows_join       QD_AXED(qd_rows_join)
#define qd_rows_make       QD_AXED(qd_rows_make)
#define qd_rows_mark_due   QD_AXED(qd_rows_mark_due)
#define qd_rows_remove     QD_AXED(qd_rows_remove)
#define qd_rows_part       QD_AXED(qd_rows_part)
#define qd_rows_reserve    QD_AXED(qd_rows_reserve)
#define qd_rows_transfer   QD_AXED(qd_rows_transfer)

/* search */
#define qd_search_bound       QD_AXED(qd_search_bound)
#define qd_search_cell        QD_AXED(qd_search_cell)
#define qd_search_hits_free   QD_AXED(qd_search_hits_free)
#define qd_search_is_hopeless QD_AXED(qd_search_is_hopeless)
#define qd_search_push        QD_AXED(qd_search_push)
#define qd_search_run         QD_AXED(qd_search_run)

/* sparse */
#define qd_sparse_cells_deinit     QD_AXED(qd_sparse_cells_deinit)
#define qd_sparse_cells_drop       QD_AXED(qd_sparse_cells_drop)
#define qd_sparse_cells_init       QD_AXED(qd_sparse_cells_init)
#define qd_sparse_cells_make       QD_AXED(qd_sparse_cells_make)
#define qd_sparse_cells_reserve    QD_AXED(qd_sparse_cells_reserve)
#define qd_sparse_cells_validate   QD_AXED(qd_sparse_cells_validate)
#define qd_sparse_divide           QD_AXED(qd_sparse_divide)
#define qd_sparse_entered          QD_AXED(qd_sparse_entered)
#define qd_sparse_extent           QD_AXED(qd_sparse_extent)
#define qd_sparse_holds            QD_AXED(qd_sparse_holds)
#define qd_sparse_list_reserve     QD_AXED(qd_sparse_list_reserve)
#define qd_sparse_locate           QD_AXED(qd_sparse_locate)
#define qd_sparse_note             QD_AXED(qd_sparse_note)
#define qd_sparse_prune            QD_AXED(qd_sparse_prune)
#define qd_sparse_prune_emptied    QD_AXED(qd_sparse_prune_emptied)
#define qd_sparse_prune_made       QD_AXED(qd_sparse_prune_made)
#define qd_sparse_prune_passed     QD_AXED(qd_sparse_prune_passed)
#define qd_sparse_prune_walk_begin QD_AXED(qd_sparse_prune_walk_begin)
#define qd_sparse_search           QD_AXED(qd_sparse_search)
#define qd_sparse_set_leaf         QD_AXED(qd_sparse_set_leaf)
#define qd_sparse_tend             QD_AXED(qd_sparse_tend)
#define qd_sparse_uproot           QD_AXED(qd_sparse_uproot)
#define qd_sparse_validate         QD_AXED(qd_sparse_validate)
#define qd_sparse_walk             QD_AXED(qd_sparse_walk)
#define qd_sparse_walk_begin       QD_AXED(qd_sparse_walk_begin)
#define qd_sparse_walk_end         QD_AXED(qd_sparse_walk_end)

/* stage */
#define qd_stage_count    QD_AXED(qd_stage_count)
#define qd_stage_deinit   QD_AXED(qd_stage_deinit)
#define qd_stage_drop     QD_AXED(qd_stage_drop)
#define qd_stage_fetch    QD_AXED(qd_stage_fetch)
#define qd_stage_get      QD_AXED(qd_stage_get)
#define qd_stage_init     QD_AXED(qd_stage_init)
#define qd_stage_land     QD_AXED(qd_stage_land)
#define qd_stage_leave    QD_AXED(qd_stage_leave)
#define qd_stage_leavers  QD_AXED(qd_stage_leavers)
#define qd_stage_put      QD_AXED(qd_stage_put)
#define qd_stage_validate QD_AXED(qd_stage_validate)

/* walk */
#define qd_walk_commit       QD_AXED(qd_walk_commit)
#define qd_walk_deinit       QD_AXED(qd_walk_deinit)
#define qd_walk_init         QD_AXED(qd_walk_init)
#define qd_walk_is_any_moved QD_AXED(qd_walk_is_any_moved)
#define qd_walk_run          QD_AXED(qd_walk_run)

/* world */
#define qd_world QD_AXED(qd_world)

#endif
