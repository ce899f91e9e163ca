// Places the labels of straight lines: along their line, above or below it, free of other lines, points and each
// other.

export interface Place {
  x: number;
  y: number;
}
/// A point that is drawn as a disc.
export interface Disc extends Place {
  radius?: number;
}
export interface LabelPlace extends Place {
  angle: number; // in radians, clockwise
}
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const sides = [7, -15]; // the text's baseline is so many pixels above the line; below it if negative
const halfHeight = 7; // of text, in pixels

function distanceToLine(place: Place, [from, to]: [Place, Place]): number {
  const dx = to.x - from.x, dy = to.y - from.y, square = dx * dx + dy * dy;
  const t = square === 0 ? 0 : ((place.x - from.x) * dx + (place.y - from.y) * dy) / square;
  const at = Math.max(0, Math.min(1, t));
  return Math.hypot(from.x + at * dx - place.x, from.y + at * dy - place.y);
}

/// Returns places within the middle of a text.
function samplesOf({ x, y, angle }: LabelPlace, width: number, ratio: number): Place[] {
  const count = Math.max(2, Math.ceil(width / (8 * ratio)));
  const raised = 4 * ratio; // its letters stand on the baseline
  return Array.from({ length: count }, (_, index) => {
    const along = (index / (count - 1) - 0.5) * width;
    return { x: x + along * Math.cos(angle) + raised * Math.sin(angle),
             y: y + along * Math.sin(angle) - raised * Math.cos(angle) };
  });
}

/// Returns a place for the label of each line: the one that has least in its way and, of equal ones, that nearest to
/// the line's end.
export function placeLabels(lines: [Place, Place][], widths: number[], points: Disc[], box: Box,
                            ratio: number): LabelPlace[] {
  const taken: Disc[] = [...points], places: LabelPlace[] = [];
  const lengthOf = ([from, to]: [Place, Place]) => Math.hypot(to.x - from.x, to.y - from.y);
  // Short lines have the least choice, so they come first.
  for (const index of lines.map((_, at) => at).sort((a, b) => lengthOf(lines[a]) - lengthOf(lines[b]))) {
    const line = lines[index];
    const [from, to] = line, width = widths[index];
    const angle = Math.atan2(to.y - from.y, to.x - from.x), length = lengthOf(line);
    const isInside = ({ x, y }: Place) =>
      x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height;
    const badness = (samples: Place[]) => samples.reduce((sum, sample) => sum +
      (isInside(sample) ? 0 : 10) +
      lines.filter((other) => other !== line && distanceToLine(sample, other) < halfHeight * ratio).length +
      2 * taken.filter(({ x, y, radius = 0 }) =>
        Math.hypot(x - sample.x, y - sample.y) < Math.max(halfHeight * ratio, radius) + halfHeight * ratio).length, 0);
    let best: { place: LabelPlace; samples: Place[]; bad: number } | undefined;
    const start = length - width / 2 - 6 * ratio;
    for (let along = start; (along > width / 2 || along === start) && best?.bad !== 0; along -= 12 * ratio)
      for (const side of sides) {
        const place = { angle, x: from.x + along * Math.cos(angle) + side * ratio * Math.sin(angle),
                        y: from.y + along * Math.sin(angle) - side * ratio * Math.cos(angle) };
        const samples = samplesOf(place, width, ratio), bad = badness(samples);
        if (!best || bad < best.bad) best = { place, samples, bad };
      }
    taken.push(...best!.samples);
    places[index] = best!.place;
  }
  return places;
}

/// Returns the boxes that the label of a line covers.
export function boxesOf(label: LabelPlace, width: number, ratio: number): Box[] {
  const half = halfHeight * ratio;
  return samplesOf(label, width, ratio).map(({ x, y }) => ({ left: x - half, top: y - half, width: 2 * half, height: 2 * half }));
}

/// Does the line go through the box?
function crosses([from, to]: [Place, Place], { left, top, width, height }: Box): boolean {
  const start = Math.max(left, from.x), end = Math.min(left + width, to.x);
  if (start > end) return false;
  const at = (x: number) => from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x || 1);
  return Math.max(at(start), at(end)) >= top && Math.min(at(start), at(end)) <= top + height;
}

/// Places the names of points: right of their points, or left, above or below, and away from lines if possible. A name
/// has no place if labels or points are in the way. Points that come first choose first.
export function placeNames(points: { x: number; y: number; radius: number; width: number }[], box: Box, height: number,
                           lines: [Place, Place][] = [], labels: Box[] = []): (Place | undefined)[] {
  const taken: Box[] = [...labels, ...points.map(({ x, y, radius }) =>
    ({ left: x - radius, top: y - radius, width: 2 * radius, height: 2 * radius }))];
  const overlaps = (a: Box, b: Box) =>
    a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
  return points.map(({ x, y, radius, width }) => {
    const gap = radius + height / 4;
    const lefts: [left: number, middle: number][] =
      [[x + gap, y], [x - gap - width, y], [x - width / 2, y - gap - height / 2], [x - width / 2, y + gap + height / 2]];
    const free = lefts.map(([left, middle]) => ({ left, top: middle - height / 2, width, height })).filter((own) =>
      own.left >= box.left && own.left + width <= box.left + box.width &&
      own.top >= box.top && own.top + height <= box.top + box.height && !taken.some((other) => overlaps(own, other)));
    const best = free.find((own) => !lines.some((line) => crosses(line, own))) ?? free[0];
    if (best) taken.push(best);
    return best && { x: best.left, y: best.top + height / 2 };
  });
}
