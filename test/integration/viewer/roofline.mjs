// The points of the roofline: what they are of, and that none is above the ceilings of what it does; and the
// ceilings, which are derived here from the file of the target and not from the report.
//
//   roofline.mjs VIEWER_BUILD TARGETS REPORT.json...      TARGETS: a folder with NAME.json for each target
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runChecks } from "./browser.mjs";
import { loadSources } from "./bundle.mjs";

const [build, targets, ...files] = process.argv.slice(2);
const { makePoints, makeCeilings, labelOf, leftOut, missingCeilings, rateUnder, placeLabels, placeNames } = await loadSources(build, "ceilings", "labels");

/// Types that have no rate of their own, and the next wider one that has: by hand, from the targets.
const widened = { jgs: { bf16: "f32" }, "a100-sxm": { f8E4M3FN: "f16" } };
const ratedType = (report, type) => widened[report.target]?.[type] ?? type;

/// Kinds of ops whose bytes pass through kernels of the class `elementwise`: all without products.
const isElementwise = (op) => op.work.mac === undefined;

function readTarget(name) {
  const target = JSON.parse(readFileSync(join(targets, `${name}.json`), "utf8"));
  const over = (part) => Object.fromEntries(Object.entries(target[part]).map(([key, value]) =>
    [key, { ...value, ...target.calibration?.[part]?.[key] }]));
  return { ...target, engines: over("engines"), memories: over("memories") };
}
const operationsOf = (op) =>
  Object.entries(op.work).reduce((sum, [kind, amount]) => sum + (kind === "mac" ? 2 : 1) * amount, 0);

/// [is a slope, operations or bytes per second], each once.
function expectedCeilings(report) {
  const target = readTarget(report.target), clock = target.clock_hz, found = new Map();
  const add = (isSlope, rate) => rate > 0 && found.set(`${isSlope} ${rate.toPrecision(9)}`, [isSlope, rate]);
  // --llm-target=engines=1 changes this one figure.
  const engines = Object.entries(target.engines).map(([name, engine]) =>
    ({ ...engine, name, units: engine.units ?? 1, count: report.engines.find((other) => other.name === name).count }));
  for (const [name, memory] of Object.entries(target.memories)) {
    if (!memory.bytes_per_second) continue;
    const rate = memory.sustained_bytes_per_second ?? memory.bytes_per_second;
    add(true, rate);
    for (const engine of engines.filter((one) => report.ops.some((op) => op.engine === one.name))) {
      const port = engine.port_bytes_per_second?.[name] ?? rate;
      if (port >= rate) continue;
      add(true, port);
      if (port * engine.count < rate) add(true, engine.count * port);
    }
  }
  for (const { units, count, kernels = {}, ...engine } of engines) {
    const own = engine.sustained_clock_hz ?? clock;
    if (report.ops.some((op) => op.engine === engine.name))
      add(true, ((engine.stream_bytes_per_kilocycle_per_unit ?? 0) * units * count * clock) / 1000);
    for (const op of report.ops.filter((one) => one.engine === engine.name && isElementwise(one) && one.bytes.dram > 0)) {
      const rate = kernels[op.op]?.item_bytes_per_kilocycle ?? kernels.elementwise?.item_bytes_per_kilocycle ?? 0;
      if (operationsOf(op) > 0) add(true, (rate * units * count * own) / 1000);
    }
  }
  const ofAll = (rateOf) => engines.reduce((sum, engine) =>
    sum + (rateOf(engine) ?? 0) * engine.units * engine.count * (engine.sustained_clock_hz ?? clock), 0);
  for (const op of report.ops) {
    if (op.mac_type) add(false, 2 * ofAll((engine) => engine.macs_per_cycle_per_unit?.[ratedType(report, op.mac_type)]));
    for (const kind of ["alu", "special", "compare"])
      if (op.work[kind]) add(false, ofAll((engine) => engine[`${kind}_per_cycle_per_unit`]));
  }
  return [...found.values()];
}

function checkPoints(report) {
  const points = new Map(makePoints(report).map((point) => [point.op.name, point]));
  const dram = report.memories.find((memory) => memory.name === "dram");
  const bandwidth = dram.sustained_bytes_per_second ?? dram.bytes_per_second;
  const others = new Map(leftOut(report).map(([op, why]) => [op.name, why]));
  for (const op of report.ops) {
    const operations = operationsOf(op);
    if (operations === 0 || op.bytes.dram === 0) {
      assert.ok(!points.has(op.name), op.name);
      assert.equal(others.get(op.name), operations === 0 ? "no operations" : "no bytes of dram");
      continue;
    }
    assert.ok(!others.has(op.name), op.name);
    const point = points.get(op.name);
    assert.ok(Math.abs(point.intensity / (operations / op.bytes.dram) - 1) < 1e-9, op.name);
    assert.ok(point.rate <= point.intensity * bandwidth * (1 + 1e-9), `${op.name} above the slope`);
    // Products alone: the op does other work beside them.
    if (op.work.mac === undefined) continue;
    const type = ratedType(report, op.mac_type);
    assert.equal(op.mac_rate_type, type, op.name);
    const ceiling = makeCeilings(report).find(({ names }) => names.some((name) => name.startsWith(`${type} products`)));
    assert.ok((2 * op.work.mac) / point.seconds <= rateUnder(ceiling, 1) * (1 + 1e-9), `${op.name} above the peak of ${type}`);
    assert.ok(type === op.mac_type || labelOf(ceiling).includes(`(used for ${op.mac_type})`), labelOf(ceiling));
  }
  assert.ok(points.size > 5);
}

function checkCeilings(report) {
  const ceilings = makeCeilings(report), expected = expectedCeilings(report);
  const sorted = (pairs) => pairs.map(([isSlope, rate]) => `${isSlope ? "bytes" : "operations"} ${rate.toPrecision(6)}`).sort();
  assert.deepEqual(sorted(ceilings.map((ceiling) => [ceiling.isSlope, ceiling.perSecond])), sorted(expected));
  assert.equal(new Set(ceilings.map((ceiling) => labelOf(ceiling))).size, ceilings.length);
  const slope = ceilings.find((ceiling) => ceiling.names.includes("dram"));
  assert.equal(rateUnder(slope, 2), 2 * slope.perSecond);
  // Kinds of work that no engine has a rate for are named.
  const engines = Object.values(readTarget(report.target).engines);
  for (const kind of ["alu", "special", "compare"]) {
    const isUsed = report.ops.some((op) => op.work[kind]);
    const isMissing = isUsed && engines.every((engine) => engine[`${kind}_per_cycle_per_unit`] === undefined);
    assert.equal(missingCeilings(report).some((text) => new RegExp(`no rate of .*${kind}`).test(text)), isMissing, kind);
  }
}

/// A name has four places: right of its point, left, above, below. The point is on a ceiling, near the right end.
function checkNames() {
  const box = { left: 0, top: 0, width: 400, height: 300 }, point = { x: 300, y: 100, radius: 10, width: 100 };
  const height = 14, gap = 10 + height / 4, ceiling = [{ x: 0, y: 100 }, { x: 400, y: 100 }];
  const above = { x: 250, y: 100 - gap - height / 2 }, below = { x: 250, y: 100 + gap + height / 2 }, left = { x: 300 - gap - 100, y: 100 };
  const place = (lines, labels) => placeNames([point], box, height, lines, labels)[0];
  assert.deepEqual(place([], []), left, "right of it there is no room");
  assert.deepEqual(place([ceiling], []), above, "a name does not lie on a ceiling");
  const labelAbove = { left: 240, top: 70, width: 120, height: 20 }, labelBelow = { ...labelAbove, top: 112 };
  assert.deepEqual(place([ceiling], [labelAbove]), below, "nor on the name of one");
  assert.deepEqual(place([ceiling], [labelAbove, labelBelow]), left, "rather on a ceiling than nowhere");
  assert.equal(place([ceiling], [labelAbove, labelBelow, { left: 150, top: 90, width: 100, height: 20 }]), undefined);
}

/// The name of a ceiling keeps off a disc, however large it is: all of the text, and not only its middle.
function checkDiscs() {
  const box = { left: 0, top: 0, width: 400, height: 300 }, ceiling = [{ x: 0, y: 100 }, { x: 400, y: 100 }], width = 100;
  for (const disc of [{ x: 380, y: 100, radius: 20 }, { x: 330, y: 100, radius: 35 }]) {
    const [label] = placeLabels([ceiling], [width], [disc], box, 1);
    const right = label.x + width / 2, left = label.x - width / 2;
    assert.ok(right <= disc.x - disc.radius || left >= disc.x + disc.radius || Math.abs(label.y - disc.y) > disc.radius, JSON.stringify(label));
  }
}

await runChecks({ "names of points": async () => checkNames(), "names of ceilings": async () => checkDiscs(), ...Object.fromEntries(files.map((file) => [file, async () => {
  const report = JSON.parse(readFileSync(file, "utf8"));
  checkPoints(report);
  checkCeilings(report);
}])) });
