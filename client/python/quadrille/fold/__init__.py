# SPDX-License-Identifier: Apache-2.0
"""Folds what the server sends into sets: pairs, views, and the changes of each tick."""
