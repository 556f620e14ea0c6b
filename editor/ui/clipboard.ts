/** Puts text on the system clipboard. Falls back to a hidden field if the browser has no clipboard (plain http). */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyByField(text);
  }
}

function copyByField(text: string): void {
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('readonly', '');
  field.className = 'fixed top-0 left-0 opacity-0';
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!copied) throw new Error('The browser does not allow copying here.');
}
