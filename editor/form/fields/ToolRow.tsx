import { useQuery } from '@tanstack/react-query';
import { ChevronDown, type LucideIcon, Play, X } from 'lucide-react';
import { lazy, Suspense, useId, useState, useSyncExternalStore } from 'react';
import { formatPath, type Path } from '#engine/check';
import {
  type AgentTool,
  descriptionOf,
  targetOf,
  TOOL_KINDS,
  type ToolKind,
  toolName,
  whyNotCalled,
  withDescription,
  withTarget,
} from '../../model/form/agent-tools.ts';
import type { FormField } from '../../model/form/schema-form.ts';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Field } from '../../ui/Field.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Input, TextArea } from '../../ui/Input.tsx';
import { Checkbox } from '../../ui/Switch.tsx';
import type { NestedProps } from '../FieldFrame.tsx';
import { FieldMessages } from '../FieldMessages.tsx';
import { useForm } from '../form-context.tsx';
import { SOURCES } from '../name-sources.ts';
import { useNames } from '../use-names.ts';
import { NameChoice } from './NameField.tsx';

const TryTool = lazy(() => import('./TryTool.tsx').then((file) => ({ default: file.TryTool })));

interface ToolRowProps extends Pick<NestedProps, 'view'> {
  tool: AgentTool;
  icon: LucideIcon;
  path: Path;
  /** It was just added, so it is open. */
  isFresh: boolean;
  /** Names of the other tools. */
  taken: readonly string[];
  onRemove(): void;
}

/** One tool: closed it says what it is, open it is changed and tried. */
export function ToolRow({ tool, icon: Icon, path, isFresh, taken, onRemove, view }: ToolRowProps) {
  const form = useForm();
  const id = useId();
  const [isOpen, setOpen] = useState(isFresh);
  const kind = TOOL_KINDS.find(({ type }) => type === tool.type);
  const name = formatPath(path);
  const problems = useSyncExternalStore(form.subscribe, () => form.problemsAt(name, true));
  const messages = problems.map((problem) => ({
    severity: problem.severity,
    text: problem.message,
    problem,
  }));
  const label = tool.name || 'this tool';
  return (
    <li data-field={name} className="rounded-md border border-line bg-surface-2">
      <div className="flex items-center gap-1 pr-1">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-8 min-w-0 flex-1 cursor-default items-center gap-2 px-2 text-left"
        >
          <Icon aria-hidden className="size-4 shrink-0 text-text-2" />
          <span className="min-w-0 truncate font-medium">{tool.name || 'Unnamed'}</span>
          <span className="min-w-0 flex-1 truncate text-xs text-text-2">
            {kind ? `${kind.title}${targetOf(tool, kind) && ` · ${targetOf(tool, kind)}`}` : tool.type}
          </span>
          <ChevronDown aria-hidden className={cx('size-4 shrink-0 text-text-2', isOpen && 'rotate-180')} />
        </button>
        <IconButton size="sm" icon={X} label={`Remove ${label}`} onClick={onRemove} />
      </div>
      {!isOpen && messages.length > 0 && (
        <div className="px-2 pb-2">
          <FieldMessages id={`${id}m`} messages={messages} />
        </div>
      )}
      {isOpen && (
        <div id={id} className="flex flex-col gap-2.5 border-t border-line p-2">
          {kind ? (
            <ToolFields {...{ tool, kind, path, taken, view }} />
          ) : (
            <p className="text-xs text-text-2">
              This version knows no tools of the type “{tool.type}”; it stays as it is.
            </p>
          )}
          <FieldMessages id={`${id}m`} messages={messages} />
        </div>
      )}
    </li>
  );
}

interface ToolFieldsProps extends Pick<NestedProps, 'view'> {
  tool: AgentTool;
  kind: ToolKind;
  path: Path;
  taken: readonly string[];
}

function ToolFields({ tool, kind, path, taken, view }: ToolFieldsProps) {
  const form = useForm();
  const change = (part: Partial<AgentTool>, label: string): void =>
    form.set(path, { ...(form.get(path) as object), ...part }, label);
  const choose = (target: string): void => {
    // A name that nobody has written follows what it leads to.
    const isProposed = new RegExp(`^(?:${kind.type}(?:_\\d+)?|)$`).test(tool.name);
    const named = kind.of && isProposed && { name: toolName(target, taken) };
    change({ value: withTarget(tool, kind, target), ...named }, 'Change tool');
  };
  return (
    <>
      <Target {...{ tool, kind, path }} onChange={choose} />
      <Field label="Name for the model">
        <Input
          mono
          maxLength={100}
          value={tool.name}
          onValueChange={(name) => change({ name }, 'Rename tool')}
        />
      </Field>
      {kind.isDescribed && (
        <Field label="When to use it">
          <TextArea
            rows={2}
            maxLength={4000}
            placeholder={
              kind.type === 'flow'
                ? 'By default the description of the flow'
                : 'Finds the orders of a customer.'
            }
            value={descriptionOf(tool)}
            onValueChange={(text) => change({ value: withDescription(tool, kind, text) }, 'Describe tool')}
          />
        </Field>
      )}
      <label className="flex items-center gap-2 text-xs">
        <Checkbox
          label="Ask people before each call"
          checked={tool.needsApproval === true}
          onCheckedChange={(isOn) =>
            form.set([...path, 'needsApproval'], isOn || undefined, 'Change approval')
          }
        />
        Ask people before each call
      </label>
      <Why {...{ tool, kind, path }} />
      <Trial {...{ tool, kind, view }} />
    </>
  );
}

function Trial({ tool, kind, view }: Pick<ToolFieldsProps, 'tool' | 'kind' | 'view'>) {
  const [isTried, setTried] = useState(false);
  return (
    <>
      <Button
        size="sm"
        icon={Play}
        className="self-start"
        disabled={targetOf(tool, kind) === ''}
        onClick={() => setTried(!isTried)}
      >
        Try this tool
      </Button>
      {isTried && (
        <Suspense fallback={<div aria-busy className="h-8" />}>
          <TryTool tool={tool} kind={kind} view={view} />
        </Suspense>
      )}
    </>
  );
}

interface TargetProps extends Pick<ToolFieldsProps, 'tool' | 'kind' | 'path'> {
  onChange(target: string): void;
}

function Target({ tool, kind, path, onChange }: TargetProps) {
  const id = useId();
  const { of, title, placeholder } = kind;
  const value = targetOf(tool, kind);
  if (of === undefined)
    return (
      <Field label="Address">
        <Input mono maxLength={2000} value={value} placeholder={placeholder} onValueChange={onChange} />
      </Field>
    );
  const field = { ...PLAIN, title };
  return (
    <div className="flex flex-col gap-1">
      <span className="text-xs font-medium">{title}</span>
      <NameChoice
        field={field}
        path={[...path, 'value']}
        label={title}
        of={of}
        ids={{ control: id, label: `${id}l`, describedBy: undefined, invalid: false }}
        value={value === '' ? undefined : value}
        onChange={onChange}
      />
    </div>
  );
}

const PLAIN: FormField = {
  name: 'value',
  title: '',
  doc: undefined,
  required: true,
  defaultValue: undefined,
  schema: {},
  dynamic: false,
  lazy: false,
  group: undefined,
  when: undefined,
  shape: { kind: 'text', multiline: false, portName: false },
};

/** What may keep the model from calling it. */
function Why({ tool, kind, path }: Pick<ToolFieldsProps, 'tool' | 'kind' | 'path'>) {
  const form = useForm();
  const beside = [...path.slice(0, -2), 'model'];
  const model = useSyncExternalStore(form.subscribe, () => form.get(beside));
  const { names } = useNames('model', {}, path);
  const flows = useQuery({
    queryKey: SOURCES.flow.key,
    queryFn: SOURCES.flow.ask as never,
    enabled: kind.of === 'flow',
  });
  const target = targetOf(tool, kind);
  const flow = (
    flows.data as readonly { id: string; version?: string; description?: string }[] | undefined
  )?.find(({ id }) => id === target);
  const usual = names.find(({ hint }) => hint === 'The default one')?.id ?? '';
  const why = whyNotCalled(tool, kind, {
    model: typeof model === 'string' && model !== '' ? model : usual,
    isDraft: flow !== undefined && flow.version === undefined,
    isUndescribed: descriptionOf(tool) === '' && !(flow?.description ?? ''),
  });
  if (target === '' || why.length === 0) return null;
  return (
    <div className="rounded-md bg-surface px-2 py-1.5 text-xs text-text-2">
      <p>If the model does not call it:</p>
      <ul className="ml-4 list-disc">
        {why.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
