import { Suspense, useEffect } from 'react';
import { useApp, useAppUi } from '../session/app-context.tsx';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { afterFirstPicture } from '../ui/first-picture.ts';
import { matchesKeys } from '../ui/keys.ts';
import { preloadable } from '../ui/preloadable.tsx';
import { toast } from '../ui/toast.ts';

const CommandPalette = preloadable(async () => (await import('./CommandPalette.tsx')).CommandPalette);

const PRELOAD_MS = 3000;

/** The palette of commands, on every screen. */
export function Commands() {
  const { ui } = useApp();
  const isOpen = useAppUi(({ overlay }) => overlay?.kind === 'commands');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // After everything else, so that it is there when the server is not.
    void afterFirstPicture().then(() => {
      timer = setTimeout(CommandPalette.preload, PRELOAD_MS);
    });
    return () => clearTimeout(timer);
  }, []);
  // Not with the other keys of the shell, which come later: the browser has its own use of this one.
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.isComposing || !matchesKeys('Mod+K', event)) return;
      event.preventDefault();
      const isAbove = event.target instanceof Element && event.target.closest('[role=dialog], [role=menu]');
      if (!isAbove) ui.setState({ overlay: { kind: 'commands' } });
    };
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, [ui]);
  if (!isOpen) return null;
  const close = (): void => ui.setState({ overlay: undefined });
  const fail = ({ message }: Error): void => {
    close();
    toast(`The commands could not be loaded. Try again once the server can be reached. (${message})`, {
      kind: 'error',
    });
  };
  return (
    <ErrorBoundary part="The dialog" onFailed={fail}>
      <Suspense fallback={null}>
        <CommandPalette onClose={close} />
      </Suspense>
    </ErrorBoundary>
  );
}
