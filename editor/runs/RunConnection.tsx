import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSession } from '../shell/session.tsx';
import { connectRuns } from '../state/connect-runs.ts';
import type { RunState } from '../state/run-store.ts';

const route = getRouteApi('/flows/$id');

/** The run that the address names: one that somebody has opened. */
const named = ({ follow, opening, shown }: RunState): string | undefined =>
  follow ? undefined : (opening ?? shown?.id);

/** Follows the runs of the open flow, and keeps `?run=` in step with the run on the canvas. Shows nothing. */
export function RunConnection() {
  const session = useSession();
  const { id } = route.useParams();
  const { run } = route.useSearch();
  const navigate = route.useNavigate();

  useEffect(() => connectRuns(session, id), [session, id]);

  // The address counts when it says something else than what is shown: at first, and after a link.
  useEffect(() => {
    const { runs } = session;
    if (run !== undefined && run !== named(runs.getState())) void runs.getState().actions.open(run);
  }, [session, run]);

  useEffect(
    () =>
      session.runs.subscribe((state, before) => {
        const next = named(state);
        if (next !== named(before))
          void navigate({ search: next === undefined ? {} : { run: next }, replace: true });
      }),
    [session, navigate],
  );
  return null;
}
