import type { Path } from '#engine/check';
import { FieldFrame } from '../form/FieldFrame.tsx';
import { FieldList } from '../form/FieldList.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { useForm, useValue } from '../form/form-context.tsx';
import type { FormField } from '../model/form/schema-form.ts';
import { Switch } from '../ui/Switch.tsx';
import { nodeField } from './node-fields.ts';

interface SwitchedFieldsProps {
  readonly path: Path;
  /** Label of the switch. */
  readonly title: string;
  readonly doc?: string;
  /** Names of the two steps in the history of changes. */
  readonly on: string;
  readonly off: string;
  /** The value that the switch sets. */
  readonly initial: object;
  readonly fields: readonly FormField[];
}

/** A part of a node that is there or not, such as `retry`: a switch, and its fields while it is on. */
export function SwitchedFields({ path, title, doc, on, off, initial, fields }: SwitchedFieldsProps) {
  const form = useForm();
  const isOn = useValue(path) !== undefined;
  const messages = form
    .problemsAt(path.join('.'), false)
    .map((problem) => ({ severity: problem.severity, text: problem.message, problem }));
  const set = (wanted: boolean): void =>
    form.set(path, wanted ? initial : undefined, wanted ? on : off, { merge: false });
  return (
    <FieldFrame
      field={{ ...nodeField('disabled'), title, doc }}
      path={path}
      value={undefined}
      messages={messages}
      aside={<Switch label={title} checked={isOn} onCheckedChange={set} />}
    >
      {() =>
        isOn && (
          <div className="ml-0.5 border-l-2 border-line pl-3">
            <FieldList fields={fields} path={path} view={FieldView} />
          </div>
        )
      }
    </FieldFrame>
  );
}
