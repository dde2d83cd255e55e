#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
#
# models.sh MOREAU MAKE_PROBLEM READ_JSON MODELS: robots from files, as a user of `moreau run` meets them.
models=$4
. "$(dirname "$0")/checks.sh"

run run "$models/quadruped.xml" --key stand --time 1
status_is 0
err_is_empty
out_has 'unsolved steps *0 of'
out_has 'contact forces    front_right_foot'
out_has 'rear_left_foot .* N, 1 contact'

run run "$models/quadruped.xml" --key stand --steps 10 --json
status_is 0
err_is_empty
is_json_lines 1
member_is unsolved_steps 0
out_has '"contact_forces":\[{"body":"front_right_foot","contacts":1,"force":\['

run run "$models/biped.xml" --joints
status_is 0
out_has 'right_knee .*hinge .*right_shank .*-2.26.* to 0 rad'
out_has 'keyframes: stand'
run run "$models/biped.xml" --joints --json
status_is 0
is_json_lines 1
out_has '"keys":\["stand"\]'

# A target, by the joint's name; a motor pushes where it is told to.
cat > slide.xml << 'END'
<mujoco>
  <worldbody>
    <body name="cart">
      <joint name="x" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.1 0.1 0.1" mass="2"/>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="x"/></actuator>
</mujoco>
END
run run slide.xml --target x=4 --dt 0.001 --time 1 --csv rows.csv --every 1000
status_is 0
that "a push of 4 N on 2 kg for 1 s makes no 2 m/s" awk -F, 'END { exit !($10 > 1.999 && $10 < 2.001) }' rows.csv
run run slide.xml --target nose=4
is_wrong_call "has no actuator 'nose'"
run run slide.xml --target push
is_wrong_call 'is not NAME=NUMBER'
run run slide.xml --key none
is_wrong_call "no keyframe 'none'"
run run slide.xml --set count=3
is_wrong_call 'applies to scenes'
run run stack --key stand
is_wrong_call 'is for files of robots'
for command in view forces; do
    run $command slide.xml --set count=3
    is_wrong_call 'applies to scenes'
    run $command stack --key up
    is_wrong_call 'is for files of robots'
done

# What is not understood is said once; what is wrong ends the run with the line.
sed 's/<joint /<joint wobble="3" /' slide.xml > odd.xml
run run odd.xml --steps 1
status_is 0
err_is_one_sentence
err_has '^moreau: odd.xml: line 4: <joint wobble> is not supported: ignored$'
run run odd.xml --steps 1 --json
status_is 0
err_is_empty
out_has '"notes":\["line 4: <joint wobble> is not supported: ignored"\]'
sed 's/mass="2"/mass="heavy"/' slide.xml > wrong.xml
run run wrong.xml
fails_on wrong.xml
err_has "line 5: <geom> has mass=\"heavy\", where 'heavy' is not a finite number"
run run nowhere.xml
fails_on nowhere.xml
printf '<robot name="r"><link name="a"/><joint name="j" type="fixed"/></robot>' > robot.urdf
run run robot.urdf
fails_on robot.urdf

# SDF: a ball of 1 kg in free fall has a kinetic energy of 48.1 J after a second; both names that SDF files have.
cat > ball.sdf << 'END'
<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity><model name="m"><link name="a">
<inertial><mass>1</mass></inertial><collision name="c"><geometry><sphere><radius>0.1</radius></sphere>
</geometry></collision></link></model></world></sdf>
END
cp ball.sdf ball.world
for file in ball.sdf ball.world; do
    run run "$file" --time 1 --dt 0.01 --json
    status_is 0
    member_above kinetic_last 48.1
    member_below kinetic_last 48.2
done

# A URDF robot set free falls on the floor it is given.
cat > walker.urdf << 'END'
<robot name="walker">
  <link name="base">
    <inertial><mass value="4"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision>
  </link>
</robot>
END
run run walker.urdf --free --floor -0.3 --time 1 --dt 0.01
status_is 0
out_has 'contact forces    base .* 39.240 N, 4 contacts'
run run slide.xml --free
is_wrong_call 'nothing of slide.xml is fixed'

# Forces at one instant: the feet carry the weight of the quadruped.
run forces "$models/quadruped.xml" --key stand --time 3 --json
status_is 0
err_is_empty
is_json_lines 1
member_is status '"solved"'

# Joints follow: what holds a link, efforts by their source; and which effort an acceleration takes.
run forces "$models/quadruped.xml" --key stand
status_is 0
out_has '^joint .* link .* effort .* actuator .* limit .* friction .* force N .* moment N m'
run forces stack --set count=2
out_has 'contacts   8: 8 sticking, 0 sliding'
out_lacks ' roll'
run forces "$models/linkage.xml" --json
out_has '"joints":\[{"kind":"ball","a":{"body":3,"name":"rocker"},"b":{"body":2,"name":"coupler"}'
out_has '"links":\[{"link":{"body":1,"name":"crank"},"parent":null'
out_has '"axes":\[{"mechanism":"crank","joint":0,"name":"crank","kind":"revolute","effort":\[0\],"actuator":\[0\]'
run forces "$models/arm.xml" --known elbow=2 --known turn=0
status_is 0
out_has 'efforts for the known accelerations, in the given order: 0.3'
run forces "$models/arm.xml" --known elbow
is_wrong_call '--known takes JOINT=A'
run forces "$models/arm.xml" --known nothing=1
is_wrong_call "no revolute or prismatic joint 'nothing'"

# Both stand with the same height, Moreau without penetration; where MuJoCo is not there, it says so.
run compare "$models/biped.xml" --time 0.5 --json
if test "$status" = 0; then
    is_json_lines 1
    member_is velocities 9
    member_is steps 100
    member_is unsolved 0
    out_has '"mujoco":{"failed":null'
    run compare "$models/quadruped.xml" --key stand --time 0.2
    status_is 0
    out_has 'height of trunk'
    cat > passive.xml <<'END'
<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>
END
    run compare passive.xml --time 0.1 --json
    status_is 0
    out_has '"mujoco":{"failed":null'
else
    err_has 'libmujoco-dev'
fi
run compare "$models/biped.xml" --with nothing
is_wrong_call '--with nothing'

cat > sensors.xml <<'END'
<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><site name="s"/></body></worldbody>
<sensor><jointpos name="angle" joint="j"/><gyro site="s"/></sensor></mujoco>
END
run run sensors.xml --steps 10 --sensors sensors.csv --every 5
status_is 0
that "the head of sensors.csv" test "$(head -1 sensors.csv)" = time,angle,gyro1.0,gyro1.1,gyro1.2
that "start and two rows" test "$(wc -l < sensors.csv)" = 4
run run sensors.xml --steps 10 --json
member_is unsolved_steps 0
that "the last row in the JSON" grep -q "\"sensors\":\[{\"name\":\"angle\",\"kind\":\"jointpos\",\"values\":\[$(tail -1 sensors.csv | cut -d, -f2)\]}" out
# Outputs do not replace the model.
cp "$models/arm.xml" mine.xml
for flag in --csv --record --replay; do
    run run mine.xml --steps 1 "$flag" ./mine.xml
    status_is 2
    err_has 'would replace the model'
done
that "the model was replaced" cmp mine.xml "$models/arm.xml"
rm mine.xml

run run "$models/arm.xml" --steps 1 --sensors none.csv
status_is 1
err_has 'which has none'
out_is_empty # no report of a run that did not begin
run run "$models/arm.xml" --steps 2 --csv named.csv
that "the rows have no names" grep -q ',tool$' named.csv

# What MuJoCo or ROS would refuse is said, with the line and the names.
cat >odd.xml <<'END'
<mujoco><worldbody><geom type="plane" size="1 1 1" material="wood"/>
<body name="ghost"><joint axis="0 1 0" armature="0.1"/></body></worldbody></mujoco>
END
run run odd.xml --steps 1
status_is 0
err_has "line 1: <geom> refers to a material that is not defined.*wood"
err_has "line 2: the body 'ghost' moves but has no mass"
cat >odd.urdf <<'END'
<robot name="r"><link name="base"/><link name="rod"><inertial><mass value="0"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="end"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="rod"/></joint>
<joint name="k" type="fixed"><parent link="rod"/><child link="end"/></joint></robot>
END
run run odd.urdf --steps 1
status_is 0
err_has "line 1: <inertial> has zero mass.*rod"
cat >circle.urdf <<'END'
<robot name="r"><link name="base"/><link name="a"/><link name="b"/>
<joint name="j" type="fixed"><parent link="b"/><child link="a"/></joint>
<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint></robot>
END
run run circle.urdf --steps 1
fails_on circle.urdf
err_has "line [23]: <joint> closes a cycle of links: '[ab]' is its own ancestor"
sed 's/parent link="b"/parent link="a"/; s/<link name="b"\/>//; /name="k"/d' circle.urdf >self.urdf
echo '</robot>' >>self.urdf
run run self.urdf --steps 1
fails_on self.urdf
err_has "line 2: <joint> closes a cycle of links: 'a' is its own ancestor"

run forces nowhere.xml
fails_on nowhere.xml

# With --json there is one object also where a file could not be read; a flag that cannot apply is refused by each command.
run view --help
viewer=$(test "$status" = 0 && echo view) # where it was built
for command in run forces $viewer; do
    run "$command" nowhere.xml --json
    fails_on nowhere.xml
    is_json_lines 1
    member_is status '"error"'
    member_is error_at '"nowhere.xml"'
    run "$command" "$models/arm.xml" --set count=3
    is_wrong_call '--set applies to scenes'
    run "$command" stack --key stand
    is_wrong_call '--key is for files of robots'
done
run run stack --first-order=-1
is_wrong_call '--first-order -1 is not'
run run problem.hdf5
is_wrong_call 'use moreau solve or moreau check for a problem'

# A state goes on with the same bits.
run run "$models/gripper.xml" --key lift --steps 40 --save-state half
run run "$models/gripper.xml" --key lift --load-state half --steps 40 --csv two.csv --every 40
status_is 0
run run "$models/gripper.xml" --key lift --steps 80 --csv one.csv --every 80
that "the run in two parts differs" test "$(tail -5 one.csv)" = "$(tail -5 two.csv)"

# Scenes and robots over many steps.
run bench lasting --scene incline --steps 400 --json --out lasting "$models/arm.xml"
status_is 0
that "a step was not solved" test "$(grep -o '"steps":400,"unsolved_steps":0' out | wc -l)" = 2
that "the block on the slope drifts" grep -q '"name":"incline".*"drift":\(0\|[0-9.]*e-1[0-9]\),.*"arm.xml"' out
that "rows are missing" test "$(grep -c '^arm.xml,' lasting/lasting.csv)" = 400
run bench lasting --scene nowhere
is_wrong_call "there is no scene 'nowhere' here"
run bench lasting nowhere.xml --scene incline --steps 10
out_is_empty
status_is 1

echo "$checks checks, $failures failed"
test "$failures" = 0
