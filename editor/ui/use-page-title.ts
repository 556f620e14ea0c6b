import { useEffect } from 'react';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';

const APP = 'Weft';

/** Names the browser's tab, and its entry in the history, after what the page shows: `Order triage – Weft`. */
export function usePageTitle(what: string | undefined): void {
  useEffect(() => {
    document.title =
      what === undefined || what.trim() === '' ? APP : `${withoutDirectionMarks(what)} – ${APP}`;
    return () => {
      document.title = APP;
    };
  }, [what]);
}
