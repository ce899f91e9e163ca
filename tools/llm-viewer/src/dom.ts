// Makes elements in one call. Text never passes through a parser of HTML, so names may hold anything.

type Attributes = Record<string, string | number | boolean | EventListener | undefined>;
type Child = Node | string | undefined;

function assign(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, String(value));
  }
  for (const child of children) if (child !== undefined) element.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  assign(element, attributes, children);
  return element;
}

/// Delays what is not needed when the page is first seen.
export function afterPaint(act: () => void): void {
  requestAnimationFrame(() => setTimeout(act));
}

/// Returns a name that may break into the next line behind each "+".
export function breakable(name: string): (Node | string)[] {
  return name.split(/(?<=\+)/).flatMap((part, index) => (index === 0 ? [part] : [h("wbr"), part]));
}

/// Keeps at most `most` characters, with dots if some are left out.
export function elide(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
