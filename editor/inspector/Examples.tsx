import type { OperatorExample, OperatorInfo } from '#shared/catalog.ts';
import { useForm } from '../form/form-context.tsx';
import { useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Section } from './Section.tsx';

/** Examples of an operator; one with params can be applied. */
export function Examples({ id, info }: { id: string; info: OperatorInfo }) {
  const form = useForm();
  const { ui } = useSession();
  if (info.examples.length === 0) return null;
  function use({ title, params }: OperatorExample): void {
    form.set(['params'], structuredClone(params), `Use the example “${title}”`, { merge: false });
    ui.setState({ inspectorTab: 'settings', announcement: `Settings of the example applied: ${title}` });
  }
  return (
    <Section title="Examples">
      {info.examples.map((example) => (
        <article key={example.title} aria-label={example.title} className="rounded-md border border-line">
          <div className="flex items-center gap-2 border-b border-line px-2 py-1">
            <h4 className="min-w-0 flex-1 text-xs font-semibold">{example.title}</h4>
            {example.params && (
              <Button size="sm" onClick={() => use(example)} aria-describedby={`${id}-use`}>
                Use this example
              </Button>
            )}
          </div>
          <div className="flex flex-col gap-1.5 p-2">
            <Part label="Settings" value={example.params} />
            <Part label="In" value={example.inputs} />
            <Part label="Out" value={example.outputs} />
            {example.error && <Part label="Error" value={example.error} />}
          </div>
        </article>
      ))}
      <p id={`${id}-use`} className="text-xs text-text-2">
        An example replaces the node’s settings; undo restores them.
      </p>
    </Section>
  );
}

function Part({ label, value }: { label: string; value: unknown }) {
  if (value === undefined) return null;
  return (
    <div className="flex gap-2">
      <span className="w-13 shrink-0 text-xs text-text-2">{label}</span>
      <pre className="min-w-0 flex-1 overflow-x-auto font-mono text-xs whitespace-pre-wrap wrap-anywhere">
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </pre>
    </div>
  );
}
