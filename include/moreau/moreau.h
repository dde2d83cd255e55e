/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Moreau: rigid multibody dynamics with hard contact, joints and Coulomb friction. */
#ifndef MOREAU_MOREAU_H
#define MOREAU_MOREAU_H

#include "moreau/base.h"
#include "moreau/batch.h"
#include "moreau/certificate.h"
#include "moreau/drive.h"
#include "moreau/energy.h"
#include "moreau/events.h"
#include "moreau/forces.h"
#include "moreau/gradient.h"
#include "moreau/io.h"
#include "moreau/joint.h"
#include "moreau/law.h"
#include "moreau/measure.h"
#include "moreau/mechanism.h"
#include "moreau/model.h"
#include "moreau/model_drive.h"
#include "moreau/options.h"
#include "moreau/problem.h"
#include "moreau/query.h"
#include "moreau/recording.h"
#include "moreau/result.h"
#include "moreau/robot.h"
#include "moreau/sensor.h"
#include "moreau/shape.h"
#include "moreau/solve.h"
#include "moreau/world.h"

#endif
