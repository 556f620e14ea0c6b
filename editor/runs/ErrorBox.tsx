import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleX } from 'lucide-react';
import type { RunError } from '#shared/run-event.ts';
import { settingName } from '../model/document/setting-name.ts';
import { recordOf } from '../model/form/schema-shapes.ts';
import { JsonView } from '../ui/JsonView.tsx';
import { errorHelp } from '../model/help-pages.ts';
import { catalogQuery } from '../session/open-flow.ts';
import { HelpCode } from '../ui/HelpCode.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { useRemedy } from '../ui/use-remedy.ts';
import { toldData, withoutPlace } from './error-data.ts';

interface ErrorBoxProps {
  error: RunError;
  /** The title of a node. */
  nameOf(node: string): string;
}

/** The error of a node, and what to do about it. */
export function ErrorBox({ error, nameOf }: ErrorBoxProps) {
  const remedy = useRemedy(error.code);
  const given = withoutPlace(error);
  const data = toldData(given);
  const calledRun = calledRunOf(given);
  return (
    <div
      role="group"
      aria-label="Error"
      className="flex flex-col gap-1 rounded-md bg-bad-soft px-2.5 py-2 text-xs"
    >
      <div className="flex items-start gap-1.5 text-bad">
        <CircleX aria-hidden className="mt-px size-4 shrink-0" />
        <span className="min-w-0 font-medium wrap-anywhere">
          <ProseText text={error.message} />
        </span>
      </div>
      <p className="pl-5.5 text-text">
        <HelpCode code={error.code} page={remedy === undefined ? undefined : errorHelp(error.code)} />
        {error.field && (
          <>
            {' in '}
            <FieldName field={error.field} operator={error.operator} />
          </>
        )}
        {error.via && (
          <>
            {' (it began at '}
            <bdi>{nameOf(error.via)}</bdi>)
          </>
        )}
      </p>
      {remedy && (
        <p className="pl-5.5 text-text">
          <ProseText text={remedy} />
        </p>
      )}
      {calledRun !== undefined && (
        <p className="pl-5.5">
          <Link to="/runs/$id" params={{ id: calledRun }} className="text-accent-strong underline">
            Open the run that failed
          </Link>
        </p>
      )}
      {data !== undefined && (
        <div className="pl-5.5 text-text">
          <JsonView value={data} label="error data" />
        </div>
      )}
    </div>
  );
}

/** The setting by the name that the inspector has for it. */
function FieldName({ field, operator = '' }: { field: string; operator: string | undefined }) {
  const { data: catalog } = useQuery(catalogQuery);
  const name = settingName(field, catalog?.operators[operator]);
  return name === field ? <code className="font-mono">{field}</code> : <b className="font-medium">{name}</b>;
}

/** The run of a called flow that the error comes from, as the errors of calls name it. */
function calledRunOf(data: unknown): string | undefined {
  const run = recordOf(data)?.['run'];
  return typeof run === 'string' ? run : undefined;
}
