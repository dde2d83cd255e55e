/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* MJCF: the sections in the order of their dependencies; compiler and option. */
#include "io/mjcf.h"

#include <math.h>
#include <string.h>

/* ---- compiler -------------------------------------------------------------------------------- */

static bool read_sequence(mo_mjcf *m, const mo_xml_node *node)
{
    const char *text = mo_xml_get(node, "eulerseq");
    if (!text) {
        return true;
    }
    MO_FAIL_IF(
        strlen(text) != 3 || strspn(text, "xyzXYZ") != 3,
        mo_reader_fail(m->r, node, "has eulerseq=\"%.20s\"; it is three letters of xyzXYZ", text));
    memcpy(mo_mjcf_by(m, node)->sequence, text, 4);
    return true;
}

static bool read_compiler(mo_mjcf *m, const mo_xml_node *node)
{
    static const char *const ANGLES[] = {"radian", "degree", NULL};
    static const char *const COORDINATES[] = {"local", "global", NULL};
    static const char *const CHOICES[] = {"false", "true", "auto", NULL};
    mo_mjcf_compiler *set = mo_mjcf_by(m, node);
    int degrees = set->degree != 1, global = 0, infer = (int)set->inertia_from_geoms;
    double groups[2] = {set->inertia_groups[0], set->inertia_groups[1]};
    MO_PASS(mo_mjcf_word(m, node, NULL, "angle", ANGLES, &degrees) &&
            mo_mjcf_word(m, node, NULL, "coordinate", COORDINATES, &global) &&
            mo_mjcf_word(m, node, NULL, "inertiafromgeom", CHOICES, &infer) &&
            read_sequence(m, node) && mo_mjcf_truth(m, node, NULL, "strippath", &set->strip_path) &&
            mo_mjcf_truth(m, node, NULL, "exactmeshinertia", &set->exact_mesh_inertia) &&
            mo_mjcf_truth(m, node, NULL, "balanceinertia", &set->balance_inertia) &&
            mo_mjcf_number(m, node, NULL, "boundmass", &set->least_mass) &&
            mo_mjcf_number(m, node, NULL, "boundinertia", &set->least_inertia) &&
            mo_mjcf_number(m, node, NULL, "settotalmass", &set->total_mass) &&
            mo_mjcf_numbers(m, node, NULL, "inertiagrouprange", 2, 2, groups, NULL));
    MO_FAIL_IF(global,
               mo_reader_fail(m->r, node,
                              "has coordinate=\"global\", which is not read; MuJoCo can save the "
                              "model in local coordinates"));
    set->degree = degrees ? 3.14159265358979323846 / 180 : 1;
    set->inertia_from_geoms = (mo_mjcf_choice)infer;
    for (int k = 0; k < 2; ++k) {
        set->inertia_groups[k] = (int)fmax(-1, fmin(groups[k], 1000));
    }
    for (int k = 0; k < 2; ++k) { /* assetdir: of later versions */
        const char *folder = mo_xml_get(node, k ? "meshdir" : "assetdir");
        set->mesh_folder = folder ? folder : set->mesh_folder;
    }
    return true;
}

/* ---- option ---------------------------------------------------------------------------------- */

static bool read_flags(mo_mjcf *m, const mo_xml_node *node)
{
    static const char *const WORDS[] = {"enable", "disable", NULL};
    mo_mjcf_settings *set = &m->set;
    int no_gravity = 0, no_constraints = 0, no_parent_filter = 0;
    const struct {
        const char *name;
        int *off;
    } flags[] = {{"contact", &set->no_contact},
                 {"limit", &set->no_limits},
                 {"passive", &set->no_passive},
                 {"actuation", &set->no_actuation},
                 {"frictionloss", &set->no_friction_loss},
                 {"equality", &set->no_equality},
                 {"gravity", &no_gravity},
                 {"constraint", &no_constraints},
                 {"filterparent", &no_parent_filter}};
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; ++k) {
        MO_PASS(mo_mjcf_word(m, node, NULL, flags[k].name, WORDS, flags[k].off));
    }
    if (no_constraints) {
        set->no_contact = set->no_limits = set->no_friction_loss = set->no_equality = 1;
    }
    if (no_gravity) {
        memset(m->r->model->gravity, 0, sizeof m->r->model->gravity);
    }
    if (set->no_passive) {
        m->r->model->medium = (mo_medium){0};
    }
    m->r->model->parents_touch = no_parent_filter;
    return true;
}

static bool read_option(mo_mjcf *m, const mo_xml_node *node)
{
    mo_model *model = m->r->model;
    const mo_xml_node *flag = mo_xml_child(node, "flag");
    MO_PASS(mo_mjcf_number(m, node, NULL, "timestep", &model->step) &&
            mo_mjcf_numbers(m, node, NULL, "gravity", 3, 3, model->gravity, NULL) &&
            mo_mjcf_amount(m, node, NULL, "density", &model->medium.density) &&
            mo_mjcf_amount(m, node, NULL, "viscosity", &model->medium.viscosity) &&
            mo_mjcf_numbers(m, node, NULL, "wind", 3, 3, model->medium.wind, NULL));
    MO_FAIL_IF(!(model->step > 0),
               mo_reader_fail(m->r, node, "has timestep=\"%g\"; it must be positive", model->step));
    if (mo_xml_equals(node, "collision", "predefined")) {
        mo_reader_note(m->r, node,
                       " collision=\"predefined\"> is not read: geoms touch by contype "
                       "and conaffinity");
    }
    return !flag || read_flags(m, flag);
}

/* ---- entry points ---------------------------------------------------------------------------- */

static bool each_in(mo_mjcf *m, const mo_xml_node *in, const char *name,
                    bool (*read)(mo_mjcf *, const mo_xml_node *))
{
    for (const mo_xml_node *node = in->first; node; node = node->next) {
        if ((!name || strcmp(node->name, name) == 0) && !read(m, node)) {
            return false;
        }
    }
    return true;
}

bool mo_mjcf_each(mo_mjcf *m, const char *section, const char *name,
                  bool (*read)(mo_mjcf *, const mo_xml_node *))
{
    bool good = section || each_in(m, m->r->root, name, read);
    const mo_xml_node *in = section ? mo_xml_child(m->r->root, section) : NULL;
    for (; in && good; in = mo_xml_next(in, section)) {
        good = each_in(m, in, name, read);
    }
    return good;
}

static bool make_compilers(mo_mjcf *m, int count)
{
    m->compilers = mo_pool_take(&m->r->tree, (size_t)count, sizeof *m->compilers);
    for (int k = 0; m->compilers && k < count; ++k) {
        m->compilers[k] = (mo_mjcf_compiler){.degree = 3.14159265358979323846 / 180,
                                             .sequence = "xyz",
                                             .inertia_from_geoms = MO_MJCF_AUTO,
                                             .inertia_groups = {0, 5},
                                             .mesh_folder = ""};
    }
    return m->compilers || mo_reader_no_memory(m->r);
}

bool mo_mjcf_read(mo_reader *r)
{
    mo_mjcf m = {.r = r, .frame = mo_pose_identity()};
    int parts = 0;
    r->model->step = 0.002;
    MO_PASS(mo_mjcf_include_all(r, r->root, 0) && mo_mjcf_attach_all(r, r->root, 0, &parts) &&
            mo_mjcf_replicate_all(r, r->root, 0) && make_compilers(&m, parts + 1));
    const char *name = mo_xml_get(r->root, "model");
    r->model->name = mo_reader_text(r, name ? name : "MuJoCo Model");
    mo_mjcf_list_unread(r);
    return !r->error && mo_mjcf_each(&m, NULL, "compiler", read_compiler) &&
           mo_mjcf_each(&m, NULL, "option", read_option) && mo_mjcf_defaults(&m) &&
           mo_mjcf_materials(&m) && mo_mjcf_each(&m, "asset", "mesh", mo_mjcf_mesh) &&
           mo_mjcf_each(&m, "asset", "hfield", mo_mjcf_height_field) && mo_mjcf_bodies(&m) &&
           mo_mjcf_each(&m, "tendon", NULL, mo_mjcf_tendon) &&
           mo_mjcf_each(&m, "actuator", NULL, mo_mjcf_actuator) &&
           mo_mjcf_each(&m, "contact", NULL, mo_mjcf_contact) &&
           mo_mjcf_each(&m, "equality", NULL, mo_mjcf_equality) &&
           mo_mjcf_each(&m, "keyframe", NULL, mo_mjcf_key) &&
           mo_mjcf_each(&m, "sensor", NULL, mo_mjcf_sensor);
}
