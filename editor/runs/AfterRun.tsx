import { Link } from '@tanstack/react-router';
import { SHOP } from '#shared/shop.ts';
import { flatFlow } from '../model/document/flat.ts';
import { useEditor, useSync } from '../session/session.tsx';
import { readInputs } from '../state/run-inputs.ts';
import type { ShownRun } from '../state/run-store.ts';

/** What follows a run that worked: the mails that the small shop has kept, and the advice of the template while the flow is not published. */
export function AfterRun({ run }: { run: ShownRun }) {
  const flow = useEditor(({ doc }) => doc.flow);
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const { next } = readInputs(flow.id);
  const hasMails = Object.entries(flatFlow(flow).nodes).some(
    ([id, { params }]) => params?.['connection'] === SHOP.mail && run.nodes[id]?.status === 'ok',
  );
  return (
    <>
      {hasMails && (
        <p className="text-text-2">
          The small shop keeps the mail on this server.{' '}
          <Link to="/shop" className="text-accent underline">
            Open the mailbox
          </Link>
        </p>
      )}
      {next !== undefined && !isLive && (
        <p className="text-text-2">
          <b className="font-medium">Next:</b> {next}
        </p>
      )}
    </>
  );
}
