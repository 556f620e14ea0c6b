import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useServer } from '../session/app-context.tsx';
import { useSession } from '../session/session.tsx';
import { connectRuns, type RunsConnection } from '../session/connect-runs.ts';
import type { RunState } from '../state/run-store.ts';

const route = getRouteApi('/flows/$id');

/** The run in the address: one that somebody has opened. */
const named = ({ follow, opening, shown }: RunState): string | undefined =>
  follow ? undefined : (opening ?? shown?.id);

/** Follows the runs of the open flow, and keeps `?run=` in sync with the run on the canvas. Renders nothing. */
export function RunConnection() {
  const session = useSession();
  const { id } = route.useParams();
  const { run } = route.useSearch();
  const navigate = route.useNavigate();

  const connection = useRef<RunsConnection>(undefined);
  const status = useServer((server) => server.status);

  useEffect(() => {
    const opened = connectRuns(session, id);
    connection.current = opened;
    return opened.close;
  }, [session, id]);

  // After a sign-in, nobody should wait for the next attempt.
  useEffect(() => {
    if (status === 'ok') connection.current?.retry();
  }, [status]);

  // The address wins if it differs from what is shown: at first, and after a link.
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
