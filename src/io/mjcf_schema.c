/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The supported elements and attributes of MJCF, and one note for each unsupported kind.
 *
 * Elements that do not affect the motion (cameras, solver settings of MuJoCo) are ignored
 * silently.  Attributes that soften contacts, joints and limits are noted once, since these are
 * hard here.
 */
#include <stdio.h>
#include <string.h>

#include "io/mjcf.h"

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
    for (size_t k = 0; k < sizeof ELEMENTS / sizeof ELEMENTS[0]; ++k) {
        if (strcmp(ELEMENTS[k].name, name) == 0) {
            return ELEMENTS + k;
        }
    }
    return NULL;
}

static void list_attributes(mo_reader *r, const mo_xml_node *node, const element *known)
{
    for (const mo_xml_attribute *a = node->attributes; a; a = a->next) {
        if (mo_text_has_word(known->read, a->name) || mo_text_has_word(known->silent, a->name)) {
            continue;
        }
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
    if (mo_text_has_word(SILENT, node->name) || mo_text_has_word(NOTED, node->name)) {
        return;
    }
    /* <tendon/>, alone, and in <default> moves nothing. */
    const bool is_default = node->parent && strcmp(node->parent->name, "default") == 0;
    if (!known || mo_text_has_word(UNREAD, node->name)) {
        if (!is_default) {
            mo_reader_note(r, node, "> is not supported: ignored, with its content");
        }
        return;
    }
    list_attributes(r, node, known);
    for (const mo_xml_node *child = node->first; child; child = child->next) {
        list(r, child);
    }
}

void mo_mjcf_list_unread(mo_reader *r)
{
    list(r, r->root);
}
