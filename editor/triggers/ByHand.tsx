import { runCommand } from '../commands/run.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useEditor } from '../session/session.tsx';
import { CopyBlock } from '../ui/CopyBlock.tsx';

/** A trigger without an address: people start it here, and programs through the API. */
export function ByHand({ node }: { node: string }) {
  const flow = useEditor((state) => state.doc.flow.id);
  const curl = `curl -X POST ${location.origin}/api/v1/flows/${flow}/run \\
  -H 'Authorization: Bearer <API key>' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ trigger: node, input: {} })}'`;
  return (
    <section aria-label="How this flow is started" className="flex max-w-190 flex-col items-start gap-3 p-3">
      <p>
        This flow is started here, by another flow, by the command line, and by programs that have an API key.
      </p>
      <CommandButton command={runCommand} variant="primary" />
      <div className="w-full">
        <CopyBlock title="As a command" text={curl} label="Copy the command" />
      </div>
    </section>
  );
}
