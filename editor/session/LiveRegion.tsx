import { useAppUi } from './app-context.tsx';

/** Reads out what commands did; nothing to see. */
export function LiveRegion() {
  const announcement = useAppUi((ui) => ui.announcement);
  return (
    <div aria-live="polite" className="sr-only">
      {announcement}
    </div>
  );
}
