// Shows a picture in a box that scrolls: the mouse drags it, Ctrl and the wheel zoom.

const least = 0.1, most = 4; // scales of the picture's own size

export class PanZoom {
  private scale = 1;
  private picture: SVGSVGElement | undefined;

  constructor(private readonly host: HTMLElement) {
    host.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls
      event.preventDefault();
      const box = host.getBoundingClientRect();
      this.zoomAt(Math.exp(-event.deltaY * 0.002), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    this.listenToDrags();
  }

  show(picture: SVGSVGElement): void {
    this.picture = picture;
    this.host.replaceChildren(picture);
    this.apply();
  }

  /// Chooses the scale at which all of the picture is seen, but no larger than its own size.
  fit(): void {
    if (!this.picture) return;
    const [width, height] = this.size();
    this.scale = Math.max(Math.min((this.host.clientWidth - 2) / width, (0.8 * window.innerHeight - 20) / height, 1), least);
    this.apply();
    this.host.scrollTo(0, 0);
  }

  /// Zooms about an element of the picture. The element stays where it is, or comes to the middle if it is out of
  /// sight. Without one, zooms about the middle.
  zoomAbout(factor: number, element: Element | undefined): void {
    const box = this.host.getBoundingClientRect(), { clientWidth, clientHeight } = this.host;
    let x = clientWidth / 2, y = clientHeight / 2;
    if (element) {
      const at = element.getBoundingClientRect();
      x = at.left + at.width / 2 - box.left;
      y = at.top + at.height / 2 - box.top;
      const isSeen = x >= 0 && y >= 0 && x <= clientWidth && y <= clientHeight;
      if (!isSeen) {
        this.host.scrollBy(x - clientWidth / 2, y - clientHeight / 2);
        return this.zoomAbout(factor, undefined);
      }
    }
    this.zoomAt(factor, x, y);
  }

  /// Zooms about a place in the box, which stays where it is. `x` and `y` are in pixels.
  private zoomAt(factor: number, x: number, y: number): void {
    const scale = Math.min(Math.max(this.scale * factor, least), most), change = scale / this.scale;
    const left = this.host.scrollLeft + x, top = this.host.scrollTop + y;
    this.scale = scale;
    this.apply();
    this.host.scrollTo(left * change - x, top * change - y);
  }

  private size(): [number, number] {
    const { width, height } = this.picture!.viewBox.baseVal;
    return [width, height];
  }
  private apply(): void {
    if (!this.picture) return;
    const [width, height] = this.size();
    this.picture.setAttribute("width", String(width * this.scale));
    this.picture.setAttribute("height", String(height * this.scale));
  }

  /// The mouse drags the picture; fingers scroll as they do everywhere.
  private listenToDrags(): void {
    const { host } = this;
    let from: { x: number; y: number; left: number; top: number } | undefined, isDragged = false;
    host.addEventListener("pointerdown", (event) => {
      isDragged = false;
      if (event.button === 0 && event.pointerType !== "touch")
        from = { x: event.clientX, y: event.clientY, left: host.scrollLeft, top: host.scrollTop };
    });
    host.addEventListener("pointermove", (event) => {
      if ((event.buttons & 1) === 0) from = undefined; // let go where nobody told
      if (!from) return;
      const dx = event.clientX - from.x, dy = event.clientY - from.y;
      if (!isDragged && Math.hypot(dx, dy) < 5) return; // a click
      if (!isDragged) host.setPointerCapture(event.pointerId);
      isDragged = true;
      host.scrollTo(from.left - dx, from.top - dy);
    });
    for (const end of ["pointerup", "pointercancel"]) host.addEventListener(end, () => (from = undefined));
    // The end of a drag must not click what lies under it.
    host.addEventListener("click", (event) => {
      if (isDragged) event.stopPropagation();
      isDragged = false;
    }, { capture: true });
  }
}
