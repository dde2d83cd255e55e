/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Bullet, in double precision: moreau-bullet.
 *
 *   si-N      sequential impulses with N iterations (10 are its default)
 *   nncg-N    the nonsmooth nonlinear conjugate gradient solver
 *   dantzig   the solver for mixed complementarity problems with Dantzig's method
 *
 * Settings are its defaults; nothing sleeps.  Friction is the geometric mean of two surfaces and restitution the larger, as ours.  Impulses are those
 * that the manifold points keep.  A plane is the face of a large box: on Bullet's own plane a sliding block drags stale points along.  A fixed body with several shapes is several objects; a free one is a compound with the material
 * of its first shape.
 */
#include <btBulletDynamicsCommon.h>

#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>

#include <LinearMath/btConvexHullComputer.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "../sim/peer_main.h"

namespace {

enum solver_kind { SEQUENTIAL, CONJUGATE, DANTZIG };

struct setting {
    solver_kind solver;
    int iterations;
};

const char *const CONFIGS[] = {"si-10",   "si-50",    "si-200",  "nncg-10",
                               "nncg-50", "nncg-200", "dantzig", nullptr};
const setting SETTINGS[] = {{SEQUENTIAL, 10}, {SEQUENTIAL, 50}, {SEQUENTIAL, 200}, {CONJUGATE, 10},
                            {CONJUGATE, 50},  {CONJUGATE, 200}, {DANTZIG, 10}};

/* Members die in the reverse order: the world first, then what it points at. */
struct bullet {
    const sim_scene *scene;
    double reach; /* half of the boxes that stand for planes */
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDantzigSolver pivoting;
    std::unique_ptr<btConstraintSolver> solver;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> objects;
    std::vector<btRigidBody *> body; /* of each free body of the scene */
    std::unique_ptr<btDiscreteDynamicsWorld> world;

    ~bullet()
    {
        for (auto &object : objects)
            world->removeRigidBody(object.get());
    }
};

btScalar geometric_mean(const btCollisionObject *a, const btCollisionObject *b)
{
    return std::sqrt(a->getFriction() * b->getFriction());
}

btScalar larger_restitution(const btCollisionObject *a, const btCollisionObject *b)
{
    return std::max(a->getRestitution(), b->getRestitution());
}

/* ---- building ---------------------------------------------------------------------------------- */

btVector3 vector_of(const double x[3])
{
    return btVector3(x[0], x[1], x[2]);
}

btTransform transform_of(const mo_pose &pose)
{
    const double *q = pose.orientation;
    return btTransform(btQuaternion(q[1], q[2], q[3], q[0]), vector_of(pose.position));
}

/* Bullet adds its margin to a hull and takes it off a box: here faces are moved in by as much before. */
btCollisionShape *make_hull(const sim_shape &shape)
{
    const int stride = 3 * sizeof(double);
    double least = 0.04; /* its default, and a tenth of a small shape, as Bullet has it for boxes */
    for (int d = 0; d < 3; ++d) {
        double low = shape.point[d], high = low;
        for (int k = 1; k < shape.point_count; ++k) {
            low = std::min(low, shape.point[3 * k + d]);
            high = std::max(high, shape.point[3 * k + d]);
        }
        least = std::min(least, 0.1 * 0.5 * (high - low));
    }
    btConvexHullComputer hull;
    hull.compute(shape.point, stride, shape.point_count, least, 0);
    btConvexHullShape *made = new btConvexHullShape();
    for (int k = 0; k < hull.vertices.size(); ++k)
        made->addPoint(hull.vertices[k], false);
    made->setMargin(least);
    made->recalcLocalAabb();
    return made;
}

btCollisionShape *make_shape(bullet &b, const sim_shape &shape)
{
    btCollisionShape *made;
    switch (shape.kind) {
    case MO_SHAPE_BALL:
        made = new btSphereShape(shape.radius);
        break;
    case MO_SHAPE_BOX:
        made = new btBoxShape(vector_of(shape.half));
        break;
    case MO_SHAPE_CAPSULE:
        made = new btCapsuleShapeZ(shape.radius, 2 * shape.half[2]);
        break;
    case MO_SHAPE_HULL:
        made = make_hull(shape);
        break;
    case MO_SHAPE_CYLINDER:
        made = new btCylinderShapeZ(btVector3(shape.radius, shape.radius, shape.half[2]));
        break;
    default:
        made = new btBoxShape(btVector3(b.reach, b.reach, b.reach));
    }
    b.shapes.emplace_back(made);
    return made;
}

/* Far beyond whatever the scene holds. */
double reach_of(const sim_scene &scene)
{
    double most = 0;
    for (int k = 0; k < scene.body_count; ++k) {
        const btVector3 x = vector_of(scene.body[k].pose.position);
        most = scene.body[k].is_free ? std::max<double>(most, x.length()) : most;
    }
    return 100 + 100 * most;
}

btRigidBody *add_object(bullet &b, int k, btCollisionShape *shape, const btTransform &at,
                        const sim_shape &material)
{
    const sim_body &from = b.scene->body[k];
    const btVector3 inertia = from.is_free ? vector_of(from.inertia) : btVector3(0, 0, 0);
    btRigidBody::btRigidBodyConstructionInfo info(from.is_free ? from.mass : 0, nullptr, shape,
                                                  inertia);
    info.m_startWorldTransform = at;
    info.m_friction = material.friction;
    info.m_restitution = material.restitution;
    btRigidBody *object = new btRigidBody(info);
    b.objects.emplace_back(object);
    object->setUserIndex(k);
    b.world->addRigidBody(object);
    return object;
}

void add_free_body(bullet &b, int k)
{
    const sim_body &from = b.scene->body[k];
    const sim_shape *shapes = b.scene->shape + from.first_shape;
    const bool is_simple =
        from.shape_count == 1 && transform_of(shapes[0].pose) == btTransform::getIdentity();
    btCollisionShape *shape;
    if (is_simple) {
        shape = make_shape(b, shapes[0]);
    } else {
        btCompoundShape *compound = new btCompoundShape();
        b.shapes.emplace_back(compound);
        for (int i = 0; i < from.shape_count; ++i)
            compound->addChildShape(transform_of(shapes[i].pose), make_shape(b, shapes[i]));
        shape = compound;
    }
    btRigidBody *object = add_object(b, k, shape, transform_of(from.pose), shapes[0]);
    object->setActivationState(DISABLE_DEACTIVATION);
    object->setLinearVelocity(vector_of(from.velocity));
    object->setAngularVelocity(vector_of(from.spin));
    if (b.scene->dimension == 2) {
        object->setLinearFactor(btVector3(1, 1, 0));
        object->setAngularFactor(btVector3(0, 0, 1));
    }
    b.body[k] = object;
}

void add_fixed_body(bullet &b, int k)
{
    const sim_body &from = b.scene->body[k];
    for (int i = 0; i < from.shape_count; ++i) {
        const sim_shape &shape = b.scene->shape[from.first_shape + i];
        const mo_pose pose = mo_pose_compose(&from.pose, &shape.pose);
        btTransform at = transform_of(pose);
        if (shape.kind == MO_SHAPE_PLANE) at.setOrigin(at * btVector3(0, 0, -b.reach));
        add_object(b, k, make_shape(b, shape), at, shape);
    }
}

btConstraintSolver *make_solver(bullet &b, solver_kind kind)
{
    switch (kind) {
    case CONJUGATE:
        return new btNNCGConstraintSolver();
    case DANTZIG:
        return new btMLCPSolver(&b.pivoting);
    default:
        return new btSequentialImpulseConstraintSolver();
    }
}

void *create(const sim_scene *scene, int config, mo_message *why)
try {
    std::unique_ptr<bullet> b(new bullet{});
    b->scene = scene;
    b->reach = reach_of(*scene);
    b->body.resize(static_cast<size_t>(scene->body_count));
    b->solver.reset(make_solver(*b, SETTINGS[config].solver));
    b->world.reset(new btDiscreteDynamicsWorld(&b->dispatcher, &b->broadphase, b->solver.get(),
                                               &b->configuration));
    b->world->setGravity(vector_of(scene->gravity));
    b->world->getSolverInfo().m_numIterations = SETTINGS[config].iterations;
    b->world->getSolverInfo().m_restitutionVelocityThreshold = scene->bounce_speed;
    if (SETTINGS[config].solver == DANTZIG) /* islands apart: its cost grows with the cube */
        b->world->getSolverInfo().m_minimumSolverBatchSize = 1;
    gCalculateCombinedFrictionCallback = geometric_mean;
    gCalculateCombinedRestitutionCallback = larger_restitution;
    for (int k = 0; k < scene->body_count; ++k)
        scene->body[k].is_free ? add_free_body(*b, k) : add_fixed_body(*b, k);
    return b.release();
} catch (const std::bad_alloc &) {
    std::snprintf(why->text, sizeof why->text, "memory ran out");
    return nullptr;
}

/* ---- stepping and reading ---------------------------------------------------------------------- */

int step(void *engine, mo_message *)
{
    bullet &b = *static_cast<bullet *>(engine);
    b.world->stepSimulation(b.scene->step, 0);
    return 1;
}

void copy(const btVector3 &from, double to[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] = from[k];
}

void read_motions(void *engine, sim_motion *motions)
{
    const bullet &b = *static_cast<bullet *>(engine);
    for (size_t k = 0; k < b.body.size(); ++k) {
        if (b.body[k]) {
            const btTransform &at = b.body[k]->getWorldTransform();
            const btQuaternion q = at.getRotation();
            const double orientation[4] = {q.w(), q.x(), q.y(), q.z()};
            copy(at.getOrigin(), motions[k].pose.position);
            std::memcpy(motions[k].pose.orientation, orientation, sizeof orientation);
            copy(b.body[k]->getLinearVelocity(), motions[k].velocity);
            copy(b.body[k]->getAngularVelocity(), motions[k].spin);
        }
    }
}

/* Bullet's normal points from its second body to its first; an impulse acts on each body at its own surface. */
sim_contact contact_of(const btPersistentManifold *manifold, const btManifoldPoint &point)
{
    sim_contact to = {};
    to.a = manifold->getBody1()->getUserIndex();
    to.b = manifold->getBody0()->getUserIndex();
    copy(point.getPositionWorldOnB(), to.on_a);
    copy(point.getPositionWorldOnA(), to.on_b);
    copy(point.m_normalWorldOnB, to.normal);
    to.gap = point.getDistance();
    const btVector3 impulse = point.m_appliedImpulse * point.m_normalWorldOnB +
                              point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                              point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
    copy(impulse, to.impulse);
    to.friction = point.m_combinedFriction;
    to.restitution = point.m_combinedRestitution;
    return to;
}

int contacts(void *engine, sim_contact *list, int room)
{
    bullet &b = *static_cast<bullet *>(engine);
    int count = 0;
    for (int k = 0; k < b.dispatcher.getNumManifolds(); ++k) {
        const btPersistentManifold *manifold = b.dispatcher.getManifoldByIndexInternal(k);
        for (int i = 0; i < manifold->getNumContacts(); ++i, ++count)
            if (count < room) list[count] = contact_of(manifold, manifold->getContactPoint(i));
    }
    return count;
}

void destroy(void *engine)
{
    delete static_cast<bullet *>(engine);
}

} // namespace

int main(int argc, char **argv)
{
    sim_engine engine = {};
    engine.name = "bullet";
    engine.impulses = "manifold points";
    engine.configs = CONFIGS;
    engine.create = create;
    engine.step = step;
    engine.read = read_motions;
    engine.contacts = contacts;
    engine.destroy = destroy;
    return peer_main(&engine, argc, argv);
}
