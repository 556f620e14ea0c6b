import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { ConnectionInfo, ConnectionKind } from '#shared/connection.ts';
import { saveConnection } from '../api/connections.ts';
import { FieldList } from '../form/FieldList.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { FormProvider } from '../form/form-context.tsx';
import { valueAt } from '../form/form-model.ts';
import type { FormField } from '../model/form/schema-form.ts';
import { useChange } from '../session/use-change.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import {
  bodyOf,
  countFault,
  type ConnectionDraft,
  draftOf,
  isComplete,
  nameFault,
  settingFields,
  settingsForm,
} from './connection-draft.ts';
import { kindsQuery, serverFoldersQuery } from './queries.ts';

interface ConnectionDialogProps {
  /** The connection to change; undefined for a new one. */
  connection: ConnectionInfo | undefined;
  all: readonly ConnectionInfo[];
  onClose(): void;
}

/** Name, kind, settings and grants of a connection. Passwords are entered here and never shown again. */
export function ConnectionDialog(props: ConnectionDialogProps) {
  const kinds = useQuery(kindsQuery);
  if (kinds.data) return <ConnectionForm {...props} kinds={kinds.data} />;
  return (
    <Dialog open onOpenChange={props.onClose} title="Connection">
      {kinds.isError ? (
        <p role="alert" className="text-bad">
          {kinds.error.message}
        </p>
      ) : (
        <Spinner label="Loading the kinds of connections" className="size-6" />
      )}
    </Dialog>
  );
}

function ConnectionForm({
  connection,
  all,
  kinds,
  onClose,
}: ConnectionDialogProps & { kinds: readonly ConnectionKind[] }) {
  const [draft, setDraft] = useState(() => draftOf(connection, kinds));
  const { busy, error, change } = useChange(['connections', 'world', 'flows'], onClose);
  const kind = kinds.find((one) => one.kind === draft.kind);
  const form = useMemo(() => settingsForm(connection?.settings ?? {}), [connection, draft.kind]);
  const settings = useSyncExternalStore(form.subscribe, form.current);
  const written = kind ? settingFields(kind, connection, settings) : [];
  const folders = useQuery({ ...serverFoldersQuery, enabled: written.some(isFolder) }).data;
  const fields = withFolders(written, folders, settings);
  const fault = connection ? undefined : nameFault(draft.name, all);
  const isFit = [fault, countFault(draft.limit), countFault(draft.burst)].every((one) => one === undefined);
  const isReady = isFit && draft.name !== '' && isComplete(fields, settings);
  const patch = (more: Partial<ConnectionDraft>): void => setDraft({ ...draft, ...more });
  const submit = (): void =>
    void change(() => saveConnection(draft.name, bodyOf(draft, settings, connection)));
  return (
    <FormDialog
      title={connection ? `Change the connection “${connection.name}”` : 'New connection'}
      action="Save"
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {!connection && <NameAndKind draft={draft} kinds={kinds} fault={fault} onChange={patch} />}
      {kind && <p className="text-xs text-text-2">{kind.doc}</p>}
      <FormProvider form={form}>
        <FieldList fields={fields} path={[]} view={FieldView} />
      </FormProvider>
      <Grants draft={draft} onChange={patch} />
      <RateLimit draft={draft} onChange={patch} />
    </FormDialog>
  );
}

function isFolder({ schema }: FormField): boolean {
  return schema['widget'] === 'folder';
}

/** A folder is chosen among those of the server; without any the field says how to name one. */
function withFolders(
  fields: readonly FormField[],
  folders: readonly string[] | undefined,
  settings: unknown,
): readonly FormField[] {
  if (folders === undefined) return fields;
  const doc = 'This server has no folders. Start it with one, such as WEFT_FOLDERS=shop=/path/of/the/folder.';
  return fields.map((field) => {
    if (!isFolder(field)) return field;
    if (folders.length === 0) return { ...field, doc };
    // One that the server had before stays to be seen.
    const chosen = valueAt(settings, [field.name]);
    const names = new Set([...folders, ...(typeof chosen === 'string' && chosen !== '' ? [chosen] : [])]);
    const options = [...names].map((name) => ({ value: name, label: name }));
    return { ...field, shape: { kind: 'select', options } };
  });
}

interface NameAndKindProps {
  draft: ConnectionDraft;
  kinds: readonly ConnectionKind[];
  fault: string | undefined;
  onChange(more: Partial<ConnectionDraft>): void;
}

function NameAndKind({ draft, kinds, fault, onChange }: NameAndKindProps) {
  return (
    <>
      <Field
        label="Name"
        required
        help="Nodes use it by this name, which cannot be changed later."
        error={fault}
      >
        <Input
          autoFocus
          mono
          maxLength={64}
          value={draft.name}
          onValueChange={(name) => onChange({ name })}
          placeholder="shop"
        />
      </Field>
      <Field label="Kind">
        <Select
          value={draft.kind}
          onValueChange={(kind) => onChange({ kind })}
          options={kinds.map(({ kind, title }) => ({ value: kind, label: title }))}
        />
      </Field>
    </>
  );
}

function Grants({ draft, onChange }: Pick<NameAndKindProps, 'draft' | 'onChange'>) {
  const isNobody = draft.flows.trim() === '' && draft.operators.trim() === '';
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-xs font-medium">Who may use it</legend>
      <p className="text-xs text-text-2">
        {isNobody
          ? 'Nobody yet: name flows, types of nodes, or both.'
          : 'A use must match all filled-in fields.'}
      </p>
      <Field label="Flows" help={`Ids of flows, separated by commas.${isNobody ? '' : ' Empty: any flow.'}`}>
        <Input
          mono
          value={draft.flows}
          placeholder="my_flow"
          onValueChange={(flows) => onChange({ flows })}
        />
      </Field>
      <Field
        label="Operators"
        help={`Types of nodes, separated by commas.${isNobody ? '' : ' Empty: any type.'}`}
      >
        <Input
          mono
          value={draft.operators}
          placeholder="sql.query"
          onValueChange={(operators) => onChange({ operators })}
        />
      </Field>
      <label className="flex items-center gap-2 text-xs">
        <Checkbox
          label="Unpublished drafts too"
          checked={draft.drafts}
          onCheckedChange={(drafts) => onChange({ drafts })}
        />
        Unpublished drafts too, whoever wrote them
      </label>
    </fieldset>
  );
}

const PERIODS = [
  { value: 'second', label: 'a second' },
  { value: 'minute', label: 'a minute' },
  { value: 'hour', label: 'an hour' },
  { value: 'day', label: 'a day' },
] as const;

function RateLimit({ draft, onChange }: Pick<NameAndKindProps, 'draft' | 'onChange'>) {
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-xs font-medium">How often it may be used</legend>
      <p className="text-xs text-text-2">
        By all flows together. Further calls wait for their turn, up to the time limit of their node.
      </p>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        <Field label="Uses" error={countFault(draft.limit)}>
          <Input
            mono
            inputMode="numeric"
            value={draft.limit}
            placeholder="no limit"
            onValueChange={(limit) => onChange({ limit })}
          />
        </Field>
        <Field label="In">
          <Select value={draft.per} onValueChange={(per) => onChange({ per })} options={PERIODS} />
        </Field>
        <Field label="At once" error={countFault(draft.burst)} className="max-sm:col-span-2">
          <Input
            mono
            inputMode="numeric"
            value={draft.burst}
            placeholder={draft.limit}
            disabled={draft.limit.trim() === ''}
            onValueChange={(burst) => onChange({ burst })}
          />
        </Field>
      </div>
    </fieldset>
  );
}
