import { Toast } from '@base-ui/react/toast';

/** Short messages at the corner, from anywhere; `Toaster` shows them. */
export interface ToastOptions {
  kind?: 'info' | 'error' | 'success' | undefined;
  detail?: string | undefined;
  action?: { readonly label: string; run(): void } | undefined;
}

export const toastManager = Toast.createToastManager();

/** Errors stay twice as long, and with an action longer still, and are read out at once. */
export function toast(text: string, { kind = 'info', detail, action }: ToastOptions = {}): void {
  const id = toastManager.add({
    title: text,
    ...(detail !== undefined && { description: detail }),
    type: kind,
    timeout: kind === 'error' || action ? 10_000 : 5_000,
    priority: kind === 'error' ? 'high' : 'low',
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          toastManager.close(id);
          action.run();
        },
      },
    }),
  });
}
