// Draws the data flow: modules that open and close, and ops coloured by kind, time or bound.

import { graphlib, layout } from "@dagrejs/dagre";
import { boundColours, Colours, heat } from "./colours";
import { elide, h, svg } from "./dom";
import { formatMicroseconds, formatOps, formatWhole } from "./format";
import { kindOf, matchesOp } from "./kinds";
import { kindLegend, legend } from "./legend";
import { makeTree, TreeNode } from "./modules";
import { PanZoom } from "./panZoom";
import { isOnPath, Op, Report, scheduledCyclesOf, toMicroseconds } from "./report";
import { shortShape } from "./shapes";
import { Store } from "./state";

type Paint = "kind" | "time" | "bound";
const nodeHeight = 38;
const mostNodes = 600; // a second of layout
const laneWidth = 14, backLabelWidth = 190; // of edges back, right of the layout

interface Edge {
  from: string;
  to: string;
  shapes: string[];
  isCarried: boolean; // through a loop
}

export class Graph {
  readonly element: HTMLElement;
  private readonly root: TreeNode;
  private readonly parentOf = new Map<string, TreeNode>();
  private readonly leaves = new Map<string, TreeNode>(); // by the names of ops
  private readonly open = new Set<string>();
  private readonly host = h("div", { class: "graph-host" });
  private readonly nodes = new Map<string, SVGGElement>();
  private readonly frames = new Map<string, SVGGElement>();
  private paint: Paint = "kind";
  private readonly key = h("div", {}); // what the colours mean
  private readonly view = new PanZoom(this.host);
  private readonly bounds = new Map<TreeNode, string>();
  private isDrawn = false;
  private mostCycles = 1; // of one node
  /// Nodes and frames for the layout, which keeps names in plain objects: one may be __proto__.
  private readonly ids = new Map<string, string>();

  constructor(private readonly report: Report, private readonly store: Store, private readonly colours: Colours) {
    this.root = makeTree(report);
    this.openFirst();
    const choice = h("select", { "aria-label": "Colour", onchange: () => {
      this.paint = choice.value as Paint;
      this.draw();
    } }, ...(["kind", "time", "bound"] as Paint[]).map((paint) => h("option", { value: paint }, `colour by ${paint}`)));
    this.element = h("section", { class: "graph", "aria-label": "Graph" },
      h("div", { class: "bar" }, choice,
        h("button", { type: "button", onclick: () => this.zoom(1.25) }, "Zoom in"),
        h("button", { type: "button", onclick: () => this.zoom(0.8) }, "Zoom out"),
        h("button", { type: "button", onclick: () => this.view.fit() }, "Fit"),
        h("button", { type: "button", onclick: () => this.collapse() }, "Collapse all"),
        h("span", { class: "muted" },
          "Click a module to open it, its frame to close it. Drag to move, Ctrl and the wheel to zoom.")),
      this.key, this.host);
    store.subscribe((_, changed) => {
      if (this.element.closest("[hidden]")) return;
      if (changed.has("query") || changed.has("showsCritical")) this.dim();
      if (changed.has("selectedOp")) this.showSelected();
    });
  }

  /// Layout takes time: only when the graph is looked at.
  show(): void {
    if (this.isDrawn) this.dim();
    else {
      this.draw();
      this.showFirst();
    }
    this.isDrawn = true;
    this.showSelected();
  }

  /// A wide graph opens where the program begins.
  private showFirst(): void {
    const first = this.nodes.get(this.visibleNodes()[0]?.key ?? "");
    if (!first) return;
    const at = first.getBoundingClientRect(), box = this.host.getBoundingClientRect();
    this.host.scrollLeft += at.left + at.width / 2 - box.left - this.host.clientWidth / 2;
  }

  /// Modules from outside in, as long as no more nodes than that are shown.
  private openFirst(): void {
    const most = 60;
    const visit = (node: TreeNode) => node.children.forEach((child) => {
      this.parentOf.set(child.key, node);
      if (child.op) this.leaves.set(child.op.name, child);
      visit(child);
    });
    visit(this.root);
    let level = this.root.children.filter((node) => !node.op), shown = this.root.children.length;
    this.open.add(this.root.key);
    while (level.length > 0) {
      const next = level.flatMap((node) => node.children);
      if (shown + next.length - level.length > most) return;
      shown += next.length - level.length;
      for (const node of level) this.open.add(node.key);
      level = next.filter((node) => !node.op);
    }
  }
  private collapse(): void {
    this.open.clear();
    this.open.add(this.root.key);
    this.draw();
  }
  /// Opens or closes a module. The focus goes to what stands for the module then.
  private toggle(module: TreeNode): void {
    const closes = this.open.delete(module.key);
    if (!closes) this.open.add(module.key);
    this.draw();
    const next = closes ? this.nodes.get(module.key) : this.frames.get(module.key);
    next?.focus();
  }
  private zoom(factor: number): void {
    this.view.zoomAbout(factor, this.selectedNode());
  }

  /// Returns the node that stands for an op: itself, or the outermost closed module around it.
  private visibleOf(leaf: TreeNode): TreeNode {
    let shown = leaf, node = this.parentOf.get(leaf.key);
    for (; node; node = this.parentOf.get(node.key)) if (!this.open.has(node.key)) shown = node;
    return shown;
  }

  private visibleNodes(): TreeNode[] {
    const shown: TreeNode[] = [];
    const visit = (node: TreeNode) => {
      if (node.op || !this.open.has(node.key)) shown.push(node);
      else node.children.forEach(visit);
    };
    this.root.children.forEach(visit);
    return shown;
  }

  private edges(): Edge[] {
    const known = new Map<string, Edge>();
    const outputs = new Map(this.report.ops.map((op) => [op.name, op.outputs]));
    const visible = new Map(this.report.ops.map((op) => [op.name, this.visibleOf(this.leaves.get(op.name)!).key]));
    const add = (producer: string, consumer: string, isCarried: boolean) => {
      const from = visible.get(producer)!, to = visible.get(consumer)!;
      if (from === to && !isCarried) return;
      const key = JSON.stringify([from, to, isCarried]);
      const edge = known.get(key) ?? { from, to, shapes: [], isCarried };
      for (const shape of outputs.get(producer)!) if (!edge.shapes.includes(shape)) edge.shapes.push(shape);
      known.set(key, edge);
    };
    for (const op of this.report.ops) {
      for (const producer of [...op.depends_on, ...(op.depends_on_in_first_iteration ?? [])]) add(producer, op.name, false);
      for (const producer of op.depends_on_previous_iteration ?? []) add(producer, op.name, true);
    }
    return [...known.values()];
  }

  /// Returns how often all that is in a node runs. Returns 1, which is not shown, if the node around it runs as often.
  private runsOf(node: TreeNode): number {
    const countOf = (ops: Op[]) => ops.every(({ count }) => count === ops[0].count) ? ops[0].count : 1;
    const around = this.parentOf.get(node.key), runs = countOf(node.ops);
    return around && around !== this.root && countOf(around.ops) === runs ? 1 : runs;
  }
  private withRuns(text: string, node: TreeNode): string {
    const runs = this.runsOf(node);
    return runs > 1 ? `${text} · ${formatWhole(runs)} runs` : text;
  }

  /// Returns the second line of a node.
  private figuresOf(node: TreeNode): string {
    const time = formatMicroseconds(toMicroseconds(this.report, node.figures.cycles));
    const { ops } = node.figures;
    return `${this.withRuns(node.op ? elide(kindOf(node.op), 24) : formatOps(ops), node)}  ${time}`;
  }
  private widthOf(node: TreeNode): number {
    return 20 + Math.max(90, elide(node.label, 34).length * 7.4, this.figuresOf(node).length * 6.2);
  }

  private idOf(path: string): string {
    if (!this.ids.has(path)) this.ids.set(path, `n${this.ids.size}`);
    return this.ids.get(path)!;
  }
  private frameOf(path: string): string {
    return `frame ${this.idOf(path)}`;
  }

  private fillOf(node: TreeNode): string {
    if (this.paint === "time") return heat(node.figures.cycles / this.mostCycles);
    if (this.paint === "bound") return boundColours[this.boundOf(node)] ?? "#bfbfbf";
    return node.op ? this.colours.get(kindOf(node.op))! : "var(--module)";
  }
  /// Returns the bound of an op, or that of most of a module's time.
  private boundOf(node: TreeNode): string {
    if (node.op) return node.op.bound;
    const known = this.bounds.get(node);
    if (known !== undefined) return known;
    const cycles = new Map<string, number>();
    const add = (child: TreeNode) => child.op
      ? cycles.set(child.op.bound, (cycles.get(child.op.bound) ?? 0) + scheduledCyclesOf(child.op))
      : child.children.forEach(add);
    add(node);
    const bound = [...cycles].reduce((most, entry) => (entry[1] > most[1] ? entry : most))[0];
    this.bounds.set(node, bound);
    return bound;
  }

  private makeKey(shown: TreeNode[]): HTMLElement {
    const time = (share: number) => formatMicroseconds(toMicroseconds(this.report, share * this.mostCycles));
    if (this.paint === "time") return legend(...[0, 0.1, 0.5, 1].map((share): [string, string] => [time(share), heat(share)]));
    if (this.paint === "bound") {
      const used = new Set(shown.map((node) => this.boundOf(node)));
      return legend(...Object.entries(boundColours).filter(([bound]) => used.has(bound))
        .map(([bound, colour]): [string, string] => [`${bound} bound (of a module: most of its time)`, colour]));
    }
    return kindLegend(shown.flatMap((node) => node.op ?? []), this.colours, this.store);
  }

  private draw(): void {
    const graph = new graphlib.Graph({ compound: true });
    graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 42, marginx: 12, marginy: 12 });
    graph.setDefaultEdgeLabel(() => ({}));
    const shown = this.visibleNodes();
    this.nodes.clear();
    if (shown.length > mostNodes) {
      this.host.replaceChildren(h("p", { class: "error" },
        `${shown.length} nodes are too many to lay out (at most ${mostNodes}): collapse modules, or see the table.`));
      return;
    }
    this.mostCycles = shown.reduce((most, node) => Math.max(most, node.figures.cycles), 1);
    for (const node of shown) {
      graph.setNode(this.idOf(node.key), { width: this.widthOf(node), height: nodeHeight });
      this.setParents(graph, node);
    }
    const edges = this.edges();
    for (const edge of edges) // edges back are drawn beside the layout
      if (!edge.isCarried)
        graph.setEdge(this.idOf(edge.from), this.idOf(edge.to),
                      { width: this.labelOf(edge).length * 5.6, height: 12, labelpos: "c" });
    layout(graph);
    this.key.replaceChildren(this.makeKey(shown));
    this.view.show(this.drawLayout(graph, shown, edges));
    this.dim();
    this.showSelected();
  }

  private setParents(graph: graphlib.Graph, node: TreeNode): void {
    let child = node.key, parent = this.parentOf.get(child);
    for (; parent && parent !== this.root; parent = this.parentOf.get(child)) {
      const frame = this.frameOf(parent.key);
      const isNew = !graph.hasNode(frame);
      if (isNew) graph.setNode(frame, {});
      graph.setParent(child === node.key ? this.idOf(child) : this.frameOf(child), frame);
      if (!isNew) return;
      child = parent.key;
    }
  }

  private drawLayout(graph: graphlib.Graph, shown: TreeNode[], edges: Edge[]): SVGSVGElement {
    const size = graph.graph() as { width: number; height: number };
    const forward = edges.filter(({ isCarried }) => !isCarried), back = edges.filter(({ isCarried }) => isCarried);
    const width = size.width + (back.length > 0 ? back.length * laneWidth + backLabelWidth : 0);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${size.height}`, role: "group",
                                 "aria-label": `Data flow: ${shown.length} nodes, ${edges.length} edges` },
      svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
                                      markerHeight: 7, orient: "auto-start-reverse" },
        svg("path", { d: "M0 0 L8 4 L0 8 z", class: "arrow" }))));
    this.frames.clear();
    // Lines lie below all text.
    const frames = this.openFrames(graph);
    for (const module of frames) picture.append(this.drawFrame(graph, module));
    for (const edge of forward) picture.append(this.drawEdge(graph, edge));
    back.forEach((edge, lane) => picture.append(this.drawBackEdge(graph, edge, size.width + lane * laneWidth)));
    for (const module of frames) picture.append(this.drawTitle(graph, module));
    for (const edge of forward) picture.append(this.drawLabel(graph, edge));
    back.forEach((edge, lane) => picture.append(this.drawBackLabel(graph, edge, size.width + lane * laneWidth, lane)));
    for (const node of shown) picture.append(this.drawNode(graph, node));
    return picture;
  }

  /// Returns the frames from outside in, so that inner ones lie above outer ones.
  private openFrames(graph: graphlib.Graph): TreeNode[] {
    const frames: TreeNode[] = [];
    const visit = (node: TreeNode) => {
      if (node.op || !this.open.has(node.key)) return;
      if (graph.hasNode(this.frameOf(node.key))) frames.push(node);
      node.children.forEach(visit);
    };
    visit(this.root);
    return frames;
  }
  private boxOf(graph: graphlib.Graph, module: TreeNode): { left: number; top: number; width: number; height: number } {
    const box = graph.node(this.frameOf(module.key)) as { x: number; y: number; width: number; height: number };
    return { left: box.x - box.width / 2, top: box.y - box.height / 2, width: box.width, height: box.height };
  }
  private drawFrame(graph: graphlib.Graph, module: TreeNode): SVGGElement {
    const { left, top, width, height } = this.boxOf(graph, module);
    const close = () => this.toggle(module);
    const frame = svg("g", { class: "frame", tabindex: 0, role: "button", "aria-label": `close ${module.name}`,
                      "data-frame": module.name, onclick: close, onkeydown: onEnter(close) },
      svg("rect", { x: left, y: top, width, height, rx: 6 }));
    this.frames.set(module.key, frame);
    return frame;
  }
  private drawTitle(graph: graphlib.Graph, module: TreeNode): SVGTextElement {
    const { left, top } = this.boxOf(graph, module);
    return svg("text", { x: left + 6, y: top + 13, class: "frame-title" },
               elide(this.withRuns(module.name, module), 70));
  }

  private nameOf(key: string): string {
    return key.slice(key.indexOf(" ") + 1);
  }

  private labelOf(edge: Edge): string {
    return elide(edge.shapes.map(shortShape).join(", "), 40);
  }
  private lineOf(graph: graphlib.Graph, edge: Edge): { points: { x: number; y: number }[]; x: number; y: number } {
    return graph.edge(this.idOf(edge.from), this.idOf(edge.to)) as { points: { x: number; y: number }[]; x: number; y: number };
  }
  private makePath(edge: Edge, d: string): SVGElement {
    return svg("path", { d, class: edge.isCarried ? "edge carried" : "edge", "marker-end": "url(#arrow)",
                         "data-from": this.nameOf(edge.from), "data-to": this.nameOf(edge.to) },
      svg("title", {}, `${edge.shapes.join(", ")}${edge.isCarried ? ", handed to the next run of the loop" : ""}`));
  }
  private drawEdge(graph: graphlib.Graph, edge: Edge): SVGElement {
    const { points } = this.lineOf(graph, edge);
    return this.makePath(edge, points.map((point, index) =>
      `${index === 0 ? "M" : "L"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join(" "));
  }
  /// Returns where an edge leaves a node on the right, `below` pixels under its middle.
  private rightOf(graph: graphlib.Graph, key: string, below: number): [x: number, y: number] {
    const box = graph.node(this.idOf(key)) as { x: number; y: number; width: number };
    return [box.x + box.width / 2, box.y + below];
  }
  /// Draws an edge that leads out to the right of everything, back up, and in again.
  private drawBackEdge(graph: graphlib.Graph, edge: Edge, lane: number): SVGElement {
    const [fromX, fromY] = this.rightOf(graph, edge.from, 8), [toX, toY] = this.rightOf(graph, edge.to, -8);
    return this.makePath(edge, `M${fromX} ${fromY} L${lane} ${fromY} L${lane} ${toY} L${toX} ${toY}`);
  }
  private drawBackLabel(graph: graphlib.Graph, edge: Edge, lane: number, index: number): SVGTextElement {
    const [, toY] = this.rightOf(graph, edge.to, -8);
    return svg("text", { x: lane + 5, y: toY + 13 + 12 * index, class: "shape back" }, `next run: ${this.labelOf(edge)}`);
  }
  private drawLabel(graph: graphlib.Graph, edge: Edge): SVGTextElement {
    const { x, y } = this.lineOf(graph, edge);
    return svg("text", { x, y: y + 3, class: "shape" }, this.labelOf(edge), svg("title", {}, edge.shapes.join(", ")));
  }

  private drawNode(graph: graphlib.Graph, node: TreeNode): SVGGElement {
    const box = graph.node(this.idOf(node.key)) as { x: number; y: number; width: number };
    const { op } = node;
    const act = () => (op ? this.store.set({ selectedOp: op.name }) : this.toggle(node));
    const time = formatMicroseconds(toMicroseconds(this.report, node.figures.cycles));
    const group = svg("g", {
      class: op ? "node" : "node module", tabindex: 0, role: "button", [op ? "data-node" : "data-module"]: node.name,
      transform: `translate(${box.x - box.width / 2} ${box.y - nodeHeight / 2})`,
      "aria-label": `${op ? "" : "open "}${node.name}, ${time}`, onclick: act, onkeydown: onEnter(act),
    },
      svg("rect", { width: box.width, height: nodeHeight, rx: 5, fill: this.fillOf(node) }),
      svg("text", { x: box.width / 2, y: 15 }, elide(node.label, 34)),
      svg("text", { x: box.width / 2, y: 30, class: "small" }, this.figuresOf(node)),
      svg("title", {}, `${node.name}\n${time}, ${this.boundOf(node)} bound`));
    this.nodes.set(node.key, group);
    return group;
  }

  private dim(): void {
    const { query, showsCritical } = this.store.state;
    const isFound = (node: TreeNode): boolean => node.op
      ? matchesOp(node.op, query) && (!showsCritical || isOnPath(node.op)) : node.children.some(isFound);
    for (const node of this.visibleNodes()) this.nodes.get(node.key)?.classList.toggle("dimmed", !isFound(node));
  }

  private selectedNode(): SVGGElement | undefined {
    return [...this.nodes.values()].find((group) => group.hasAttribute("data-selected"));
  }
  private showSelected(): void {
    if (!this.isDrawn) return;
    const { selectedOp } = this.store.state;
    const leaf = selectedOp === undefined ? undefined : this.leaves.get(selectedOp);
    const shown = leaf && this.visibleOf(leaf).key;
    for (const [key, group] of this.nodes) group.toggleAttribute("data-selected", key === shown);
    if (shown !== undefined && !this.element.hidden)
      this.nodes.get(shown)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

function onEnter(action: () => void): EventListener {
  return (event) => {
    const { key } = event as KeyboardEvent;
    if (key !== "Enter" && key !== " ") return;
    event.preventDefault();
    action();
  };
}
