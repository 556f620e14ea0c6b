/**
 * The areas that F6 walks through, in this order. A screen without a canvas has its main part in place of it. Each area gives the
 * focus back to the element that had it last.
 */
const CANVAS = '[data-canvas]';
const AREAS = ['[data-area=rail]', CANVAS, 'main', 'aside[aria-label]', 'section[aria-label="Bottom panel"]'];

const FOCUSABLE =
  'a[href], button:not([disabled], [tabindex="-1"]), input:not([disabled], [type=hidden]), select, textarea, [contenteditable=true], [tabindex="0"]:not([role=separator])';

const last = new WeakMap<Element, HTMLElement>();

const isVisible = (element: Element): boolean => element.getClientRects().length > 0;

function areas(): HTMLElement[] {
  const found = AREAS.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)]).filter(
    isVisible,
  );
  // The main part of the editor is its canvas and its dock, which are areas themselves.
  return found.filter((area) => !(area.matches('main') && area.querySelector(CANVAS)));
}

const areaOf = (element: Element, all: readonly HTMLElement[]): number =>
  all.findIndex((area) => area.contains(element));

/** Notes the element of an area that has the focus. */
export function noteFocus({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement)) return;
  const all = areas();
  const area = all[areaOf(target, all)];
  if (area) last.set(area, target);
}

/** Moves the focus to the next area, or to the one before. */
export function walkAreas(step: 1 | -1): void {
  const all = areas();
  const at = areaOf(document.activeElement ?? document.body, all);
  const from = at === -1 ? (step === 1 ? -1 : 0) : at;
  const next = all[(from + step + all.length) % all.length];
  if (next) enter(next);
}

/** Moves the focus to the canvas, or to the main part of a screen. */
export function enterContent(): void {
  const content = areas().find((area) => area.matches(`${CANVAS}, main`));
  if (content) enter(content);
}

function enter(area: HTMLElement): void {
  const before = last.get(area);
  const target =
    before?.isConnected && isVisible(before) ? before : (selectedNode(area) ?? firstIn(area) ?? area);
  if (target === area && area.tabIndex < 0) area.tabIndex = -1;
  target.focus();
}

const selectedNode = (area: ParentNode): HTMLElement | null =>
  area.querySelector<HTMLElement>('.react-flow__node.selected') ??
  area.querySelector<HTMLElement>('.react-flow__node');

const firstIn = (area: HTMLElement): HTMLElement | undefined =>
  [...area.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isVisible);

/** From a field of the panel beside the canvas to the node that it belongs to, or to the canvas; false from anywhere else. */
export function backToNode(field: Element): boolean {
  if (!field.closest('aside[aria-label]')) return false;
  const canvas = document.querySelector<HTMLElement>(CANVAS);
  const node = canvas?.querySelector<HTMLElement>('.react-flow__node.selected');
  (node ?? canvas)?.focus();
  return canvas !== null;
}
