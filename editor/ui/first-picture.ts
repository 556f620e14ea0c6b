const shown = Promise.withResolvers<void>();
let isTold = false;

/** What one does not see or use at once is fetched after this, so that the network brings the first picture first. */
export function afterFirstPicture(): Promise<void> {
  return shown.promise;
}

/** For a screen that has just been drawn. Two frames later what measures itself, as nodes do, is to be seen. */
export function tellFirstPicture(): void {
  if (isTold) return;
  isTold = true;
  requestAnimationFrame(() => requestAnimationFrame(() => shown.resolve()));
}
