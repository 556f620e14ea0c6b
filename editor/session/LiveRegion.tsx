import { useAppUi } from './app-context.tsx';

/** Announces the results of commands to screen readers; invisible. */
export function LiveRegion() {
  const announcement = useAppUi((ui) => ui.announcement);
  return (
    <div aria-live="polite" className="sr-only">
      {announcement}
    </div>
  );
}
