// Fingers and buttons of the mouse over the timeline, by how far they move.
//
//   pointers.mjs MODEL_PAGE
import assert from "node:assert/strict";
import { drawn, openPage, rangeOf, runChecks } from "./browser.mjs";

const [modelPage] = process.argv.slice(2);
const gutter = 118; // pixels
const canvas = "canvas[data-from]";
const near = (found, wanted, by) =>
  assert.ok(Math.abs(found[0] - wanted[0]) <= by && Math.abs(found[1] - wanted[1]) <= by, `${found}, not ${wanted}`);

await runChecks({
  async "two fingers zoom: what was under them stays there; then one pans"() {
    const { page, close } = await openPage(modelPage, { hasTouch: true, viewport: { width: 700, height: 800 } });
    const client = await page.context().newCDPSession(page);
    const { x, y, width } = await page.locator(canvas).boundingBox();
    const touch = (type, ...points) => client.send("Input.dispatchTouchEvent", {
      type, touchPoints: points.map((at, id) => ({ x: x + at, y: y + 50, id })) });
    const [from, to] = await rangeOf(page), perPixel = (to - from) / (width - gutter);
    const cycleAt = (at) => from + (at - gutter) * perPixel;
    await page.$eval(canvas, (element) => {
      globalThis.fingers = [];
      element.addEventListener("pointerdown", (event) => globalThis.fingers.push(event.pointerId));
    });
    await touch("touchStart", 300);
    await touch("touchStart", 300, 400);
    for (const step of [10, 20, 30, 40, 50]) await touch("touchMove", 300 - step, 400 + step);
    // 100 pixels between them are now 200.
    const pinched = await rangeOf(page), scale = perPixel / 2;
    near(pinched, [cycleAt(300) - (250 - gutter) * scale, cycleAt(400) + (width - 450) * scale], 2 * scale);
    // The protocol lifts all fingers or none: of one, the page is told.
    await page.$eval(canvas, (element) =>
      element.dispatchEvent(new PointerEvent("pointerup", { pointerId: globalThis.fingers[1] })));
    await touch("touchMove", 210, 450);
    near(await rangeOf(page), pinched.map((cycle) => cycle + 40 * scale), 2 * scale);
    await touch("touchEnd");
    assert.equal(await page.getAttribute(".details", "data-op"), ""); // that was no click
    await touch("touchStart", 300);
    await touch("touchEnd");
    assert.notEqual(await page.getAttribute(".details", "data-op"), "");
    await close();
  },

  async "a gesture that the browser takes away leaves nothing behind"() {
    const { page, close } = await openPage(modelPage);
    const { x, y } = await page.locator(canvas).boundingBox();
    await page.locator(canvas).focus();
    await page.keyboard.press("+");
    for (const type of ["pointercancel", "lostpointercapture"]) {
      await page.mouse.move(x + 400, y + 50);
      await page.mouse.down();
      await page.mouse.move(x + 440, y + 50);
      await page.$eval(canvas, (element, name) => element.dispatchEvent(new PointerEvent(name, { pointerId: 1 })), type);
      const before = await rangeOf(page);
      await page.mouse.move(x + 300, y + 50, { steps: 3 });
      assert.deepEqual(await rangeOf(page), before, type);
      await page.mouse.up();
      assert.equal(await page.getAttribute(".details", "data-op"), "");
    }
    await close();
  },

  async "only the main button drags and chooses"() {
    const { page, close } = await openPage(modelPage);
    const { x, y } = await page.locator(canvas).boundingBox();
    await page.locator(canvas).focus();
    await page.keyboard.press("+");
    const before = await rangeOf(page);
    for (const button of ["right", "middle"]) {
      await page.mouse.move(x + 400, y + 50);
      await page.mouse.down({ button });
      await page.mouse.move(x + 300, y + 50, { steps: 3 });
      await page.mouse.up({ button });
      assert.deepEqual(await rangeOf(page), before, button);
      await page.mouse.click(x + 400, y + 50, { button });
      assert.equal(await page.getAttribute(".details", "data-op"), "", button);
    }
    await close();
  },

  async "buttons zoom, and what is moved away has no tip"() {
    const { page, close } = await openPage(modelPage);
    const [from, to] = await rangeOf(page), length = to - from;
    const zoomed = async (name) => {
      await page.click(`button[aria-label="${name}"]`);
      const [begin, end] = await rangeOf(page);
      return (end - begin) / length;
    };
    assert.ok(Math.abs((await zoomed("Zoom in")) - 0.7) < 0.001);
    assert.ok(Math.abs((await zoomed("Zoom in")) - 0.49) < 0.001);
    assert.ok(Math.abs((await zoomed("Zoom out")) - 0.7) < 0.001);
    assert.deepEqual(await zoomed("Show all"), 1);
    await page.hover(canvas, { position: { x: 400, y: 52 } });
    assert.ok(await page.locator(".tip").isVisible());
    await page.locator(canvas).focus();
    await page.keyboard.press("+");
    await drawn(page);
    assert.equal(await page.locator(".tip").isVisible(), false);
    await close();
  },
});
