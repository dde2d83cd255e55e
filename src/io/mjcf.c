/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* MJCF: the sections in the order of their dependencies; compiler, option, and unread elements. */
#include "io/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- compiler -------------------------------------------------------------------------------- */

static bool read_sequence(mo_mjcf *m, const mo_xml_node *node)
{
    const char *text = mo_xml_get(node, "eulerseq");
    if (!text) return true;
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
    for (int k = 0; k < 2; ++k)
        set->inertia_groups[k] = (int)fmax(-1, fmin(groups[k], 1000));
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
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; ++k)
        MO_PASS(mo_mjcf_word(m, node, NULL, flags[k].name, WORDS, flags[k].off));
    if (no_constraints)
        set->no_contact = set->no_limits = set->no_friction_loss = set->no_equality = 1;
    if (no_gravity) memset(m->r->model->gravity, 0, sizeof m->r->model->gravity);
    if (set->no_passive) m->r->model->medium = (mo_medium){0};
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

/* ---- what is not read ------------------------------------------------------------------------ */

/*
 * The supported elements and attributes of MJCF, and one note for each unsupported kind.
 *
 * Elements that do not affect the motion (cameras, solver settings of MuJoCo) are ignored
 * silently.  Attributes that soften contacts, joints and limits are noted once, since these are
 * hard here.
 */

/* Lists of words with a space before and after each. */
typedef struct element {
    const char *name;
    const char *read;   /* attributes that count */
    const char *silent; /* attributes that do not, and need no note */
    const char *soft;   /* attributes of soft constraints */
} element;

#define FRAME " pos quat axisangle xyaxes zaxis euler "
#define TENDON " limited range stiffness damping frictionloss springlength "
#define TENDON_SILENT " group user width material rgba "
#define TENDON_SOFT " solreflimit solimplimit solreffriction solimpfriction margin "
#define ACTUATOR                                                                                   \
    " name class ctrllimited forcelimited ctrlrange forcerange actlimited actrange gear joint "    \
    "jointinparent tendon site refsite body slidersite cranksite lengthrange "
#define ACTUATOR_SILENT " group user cranklength "

static const element ELEMENTS[] = {
    {"mujoco", " model ", " xmlns ", ""},
    {"compiler",
     " autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle "
     "eulerseq meshdir assetdir inertiafromgeom inertiagrouprange exactmeshinertia ",
     " fitaabb texturedir discardvisual convexhull usethread fusestatic alignfree saveinertial ",
     ""},
    {"lengthrange", "",
     " mode useexisting uselimit accel maxforce timeconst timestep inttotal "
     "inteval tolrange interval ",
     ""},
    {"option", " timestep gravity wind density viscosity collision ",
     " apirate impratio tolerance noslip_tolerance mpr_tolerance ls_tolerance magnetic integrator "
     "cone jacobian solver iterations noslip_iterations mpr_iterations ls_iterations "
     "ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints actuatorgroupdisable ",
     " o_margin o_solref o_solimp o_friction "},
    {"flag",
     " constraint equality frictionloss limit contact passive gravity filterparent actuation ",
     " clampctrl warmstart refsafe sensor override energy fwdinv sensornoise multiccd midphase "
     "eulerdamp autoreset island nativeccd invdiscrete ",
     ""},
    {"default", " class ", "", ""},
    {"asset", "", "", ""},
    {"model", " name file ", " content_type ", ""},
    {"mesh", " name class file vertex face refpos refquat scale inertia ",
     " normal texcoord smoothnormal content_type maxhullvert ", ""},
    {"hfield", " name class file size nrow ncol elevation ", " content_type ", ""},
    {"worldbody", " childclass ", "", ""},
    {"body", " name childclass mocap gravcomp" FRAME, " user sleep ", ""},
    {"inertial", FRAME " mass diaginertia fullinertia ", "", ""},
    {"joint",
     " name class type pos axis limited range ref springref armature damping frictionloss "
     "stiffness joint1 joint2 polycoef active joint coef actuatorfrclimited actuatorfrcrange ",
     " group user actuatorgravcomp ",
     " solreflimit solimplimit solreffriction solimpfriction solref solimp margin "},
    {"freejoint", " name ", " group align ", ""},
    {"geom",
     " name class type contype conaffinity condim priority size friction mass density fromto mesh "
     "group fluidshape shellinertia hfield material rgba geom sidesite fitscale " FRAME,
     " user solmix fluidcoef ", " solref solimp margin gap "},
    {"contact", "", "", ""},
    {"pair", " name class geom1 geom2 condim friction ", "", " solref solimp gap margin "},
    {"exclude", " name body1 body2 ", "", ""},
    {"equality", " active ", "", " solref solimp "},
    {"connect", " name class body1 body2 site1 site2 anchor active ", "", " solref solimp "},
    {"weld", " name class body1 body2 site1 site2 relpose anchor active ", " torquescale ",
     " solref solimp "},
    {"actuator", "", "", ""},
    {"general", ACTUATOR " dyntype gaintype biastype dynprm gainprm biasprm ",
     ACTUATOR_SILENT " actdim actearly ", ""},
    {"motor", ACTUATOR, ACTUATOR_SILENT, ""},
    {"position", ACTUATOR " kp kv dampratio timeconst inheritrange ", ACTUATOR_SILENT, ""},
    {"intvelocity", ACTUATOR " kp kv dampratio inheritrange ", ACTUATOR_SILENT, ""},
    {"velocity", ACTUATOR " kv ", ACTUATOR_SILENT, ""},
    {"damper", ACTUATOR " kv ", ACTUATOR_SILENT, ""},
    {"cylinder", ACTUATOR " timeconst area diameter bias ", ACTUATOR_SILENT, ""},
    {"muscle", ACTUATOR " timeconst range force scale lmin lmax vmax fpmax fvmax ", ACTUATOR_SILENT,
     ""},
    {"tendon", " class tendon1 tendon2 polycoef active name" TENDON, TENDON_SILENT,
     " solref solimp" TENDON_SOFT},
    {"fixed", " name class" TENDON, TENDON_SILENT, TENDON_SOFT},
    {"spatial", " name class" TENDON, TENDON_SILENT, TENDON_SOFT},
    {"pulley", " divisor ", "", ""},
    {"frame", " name childclass" FRAME, "", ""},
    {"keyframe", "", "", ""},
    {"key", " name time qpos qvel ctrl mpos mquat ", " act ", ""},
};

/* Passed over with all that is inside. */
static const char SILENT[] =
    " visual statistic size custom sensor site camera light texture material skin extension ";
/* Passed over with all that is inside, which would have moved something. */
static const char UNREAD[] = " composite deformable flexcomp plugin flex ";
/* Actuators that read_actuator notes itself, and equalities likewise. */
static const char NOTED[] = " adhesion distance ";

static const element *find_element(const char *name)
{
    for (size_t k = 0; k < sizeof ELEMENTS / sizeof ELEMENTS[0]; ++k)
        if (strcmp(ELEMENTS[k].name, name) == 0) return ELEMENTS + k;
    return NULL;
}

static void list_attributes(mo_reader *r, const mo_xml_node *node, const element *known)
{
    for (const mo_xml_attribute *a = node->attributes; a; a = a->next) {
        if (mo_text_has_word(known->read, a->name) || mo_text_has_word(known->silent, a->name))
            continue;
        if (mo_text_has_word(known->soft, a->name)) {
            char of[120];
            snprintf(of, sizeof of, "<%.40s %.40s>", node->name, a->name);
            mo_reader_note_kind(r, node, of,
                                "solref, solimp, margin and the like are ignored, since contacts, "
                                "joints and limits are hard here");
        } else {
            mo_reader_note(r, node, " %.40s> is not supported: ignored", a->name);
        }
    }
}

static void list(mo_reader *r, const mo_xml_node *node)
{
    const element *known = find_element(node->name);
    if (mo_text_has_word(SILENT, node->name) || mo_text_has_word(NOTED, node->name)) return;
    /* <tendon/>, alone, and in <default> moves nothing. */
    const bool is_default = node->parent && strcmp(node->parent->name, "default") == 0;
    if (!known || mo_text_has_word(UNREAD, node->name)) {
        if (!is_default) mo_reader_note(r, node, "> is not supported: ignored, with its content");
        return;
    }
    list_attributes(r, node, known);
    for (const mo_xml_node *child = node->first; child; child = child->next)
        list(r, child);
}

static void list_unread(mo_reader *r)
{
    list(r, r->root);
}

/* ---- entry points ---------------------------------------------------------------------------- */

static bool each_in(mo_mjcf *m, const mo_xml_node *in, const char *name,
                    bool (*read)(mo_mjcf *, const mo_xml_node *))
{
    for (const mo_xml_node *node = in->first; node; node = node->next)
        if ((!name || strcmp(node->name, name) == 0) && !read(m, node)) return false;
    return true;
}

bool mo_mjcf_each(mo_mjcf *m, const char *section, const char *name,
                  bool (*read)(mo_mjcf *, const mo_xml_node *))
{
    bool good = section || each_in(m, m->r->root, name, read);
    const mo_xml_node *in = section ? mo_xml_child(m->r->root, section) : NULL;
    for (; in && good; in = mo_xml_next(in, section))
        good = each_in(m, in, name, read);
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
    list_unread(r);
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
