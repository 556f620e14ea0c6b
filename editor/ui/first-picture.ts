const shown = Promise.withResolvers<void>();
let isTold = false;

/** Code that is not visible or used at once is loaded after this, so that the network delivers the first frame first. */
export function afterFirstPicture(): Promise<void> {
  return shown.promise;
}

/** For a screen that has just been drawn. Two frames later, elements that measure themselves, such as nodes, are visible. */
export function tellFirstPicture(): void {
  if (isTold) return;
  isTold = true;
  requestAnimationFrame(() => requestAnimationFrame(() => shown.resolve()));
}
