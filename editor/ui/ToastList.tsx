import { Toast } from '@base-ui/react/toast';
import { CircleCheck, CircleX, Info, X } from 'lucide-react';
import { useEffect } from 'react';
import { type ToastOptions, takeToasts } from './toast.ts';

const ICONS = {
  info: <Info aria-hidden className="size-4 shrink-0 text-busy" />,
  success: <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />,
  error: <CircleX aria-hidden className="size-4 shrink-0 text-bad" />,
} as const;

/** Base UI's toasts: they add no style elements to the page, which the content security policy would refuse. */
export function ToastList() {
  return (
    <Toast.Provider limit={4}>
      <Toast.Portal>
        <Toast.Viewport className="fixed bottom-4 left-1/2 z-70 flex w-105 max-w-[calc(100vw-2rem)] -translate-x-1/2 flex-col gap-2">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

type Manager = Pick<ReturnType<typeof Toast.useToastManager>, 'add' | 'close'>;

/** Errors stay longer and are read out at once; toasts with an action stay longer too. */
function show({ add, close }: Manager, text: string, { kind = 'info', detail, action }: ToastOptions): void {
  const id = add({
    title: text,
    ...(detail !== undefined && { description: detail }),
    type: kind,
    timeout: kind === 'error' || action ? 10_000 : 5_000,
    priority: kind === 'error' ? 'high' : 'low',
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          close(id);
          action.run();
        },
      },
    }),
  });
}

function Toasts() {
  const { toasts, add, close } = Toast.useToastManager();
  useEffect(() => {
    takeToasts((text, options) => show({ add, close }, text, options));
    return () => takeToasts(undefined);
  }, [add, close]);
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      swipeDirection="down"
      className="rounded-lg border border-line bg-surface shadow-(--shadow) transition-[opacity,translate] duration-150 data-starting-style:translate-y-2 data-starting-style:opacity-0 data-ending-style:opacity-0 data-limited:hidden"
    >
      <Toast.Content className="flex items-start gap-2.5 px-3 py-2.5">
        <span className="pt-0.5">{ICONS[(toast.type ?? 'info') as keyof typeof ICONS]}</span>
        <div className="min-w-0 flex-1">
          <Toast.Title render={<p />} className="font-medium break-words" />
          <Toast.Description className="mt-0.5 text-xs break-words text-text-2" />
        </div>
        <Toast.Action className="h-6 shrink-0 rounded-md px-2 text-xs font-semibold text-accent hover:bg-accent-soft" />
        <Toast.Close
          aria-label="Close"
          className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-text-2 hover:bg-surface-3"
        >
          <X aria-hidden className="size-3.5" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
