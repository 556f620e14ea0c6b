import { CircleX, TriangleAlert } from 'lucide-react';
import { Suspense, useContext } from 'react';
import type { Problem } from '#shared/problem.ts';
import { fixesOf } from '../model/document/fixes.ts';
import { Button } from '../ui/Button.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { Allow, type FieldMessage, useForm } from './form-context.tsx';
import { NewThing } from './new-thing.ts';

/** What a grant mends, which is no change of the flow. */
function isGrantable({ code }: Problem): boolean {
  return code === 'secret-not-granted' || code === 'connection-not-granted';
}

/** The problems of a field, each with its fix if there is one. */
export function FieldMessages({ id, messages }: { id: string; messages: readonly FieldMessage[] }) {
  const { fix } = useForm();
  const GrantButton = useContext(Allow);
  const make = useContext(NewThing);
  if (messages.length === 0) return null;
  return (
    <ul id={id} className="flex flex-col gap-1">
      {messages.map(({ severity, text, problem }, i) => (
        <li key={`${i} ${text}`} className="flex items-start gap-1.5 text-xs">
          {severity === 'error' ? (
            <CircleX aria-label="Error" className="mt-0.5 size-3.5 shrink-0 text-bad" />
          ) : (
            <TriangleAlert aria-label="Warning" className="mt-0.5 size-3.5 shrink-0 text-warn" />
          )}
          <span className={severity === 'error' ? 'min-w-0 flex-1 text-bad' : 'min-w-0 flex-1 text-warn'}>
            <ProseText text={text} />
          </span>
          {problem && GrantButton && isGrantable(problem) && (
            <Suspense fallback={null}>
              <GrantButton problem={problem} />
            </Suspense>
          )}
          {problem?.lacks && make && (
            <Button
              size="sm"
              className="-my-0.5"
              onClick={() => make({ kind: 'variable', wanted: problem.lacks, use: () => undefined })}
            >
              Create it
            </Button>
          )}
          {problem &&
            fix &&
            fixesOf(problem).map((one) => (
              <Button key={one.title} size="sm" onClick={() => fix(one)} className="-my-0.5">
                {one.title}
              </Button>
            ))}
        </li>
      ))}
    </ul>
  );
}
