/** Short messages in the corner, from anywhere. The code that shows them is loaded with the first one. */
export interface ToastOptions {
  kind?: 'info' | 'error' | 'success' | undefined;
  detail?: string | undefined;
  action?: { readonly label: string; run(): void } | undefined;
}

type Show = (text: string, options: ToastOptions) => void;

let show: Show | undefined;
let waiting: [text: string, options: ToastOptions][] = [];
let wake: (() => void) | undefined;

export function toast(text: string, options: ToastOptions = {}): void {
  if (show) return show(text, options);
  waiting.push([text, options]);
  wake?.();
}

/** For `Toaster`: calls back once there is something to show. */
export function onFirstToast(call: () => void): () => void {
  wake = call;
  if (waiting.length > 0) call();
  return () => {
    wake = undefined;
  };
}

/** For `Toaster`: takes over showing, starting with waiting messages. */
export function takeToasts(by: Show | undefined): void {
  show = by;
  if (!by) return;
  for (const [text, options] of waiting) by(text, options);
  waiting = [];
}
