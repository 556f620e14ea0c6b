import { useQuery, useQueryClient } from '@tanstack/react-query';
import { makeMailbox } from '../api/connections.ts';
import { createApp } from '../api/apps.ts';
import { listFlows, listSecrets } from '../api/flows.ts';
import { listProviders } from '../api/models.ts';
import { bodyOf, NEW_APP } from '../apps/app-draft.ts';
import { connectionsQuery } from '../connections/queries.ts';
import { NewConnection } from '../connections/NewConnection.tsx';
import { createFrom } from '../flows/flow-actions.ts';
import { NameDialog } from '../flows/NameDialog.tsx';
import type { NewKind } from '../form/new-thing.ts';
import { SpaceDialog } from '../knowledge/SpaceDialog.tsx';
import { ProviderDialog } from '../providers/ProviderDialog.tsx';
import { SecretDialog } from '../secrets/SecretDialog.tsx';
import { VariableDialog } from '../secrets/VariableDialog.tsx';
import { freeId, idFrom } from '#shared/flow-copy.ts';
import { toast } from '../ui/toast.ts';

interface NewThingProps {
  kind: NewKind;
  /** The name to begin with. */
  wanted: string | undefined;
  /** What it is made in. */
  within: string | undefined;
  onMade(name: string): void;
  onClose(): void;
}

/** The dialog that makes what a field of a node can name. */
export function NewThingDialog({ kind, ...props }: NewThingProps) {
  const Dialog = DIALOGS[kind];
  return <Dialog {...props} />;
}

type Props = Omit<NewThingProps, 'kind'>;

const DIALOGS: Readonly<Record<NewKind, (props: Props) => React.ReactNode>> = {
  secret: NewSecret,
  connection: AnyConnection,
  flow: NewFlow,
  mailbox: NewMailbox,
  space: NewSpace,
  app: NewApp,
  'model provider': NewProvider,
  variable: NewVariable,
};

function NewSecret(props: Props) {
  const secrets = useQuery({ queryKey: ['secrets'], queryFn: listSecrets });
  // One of this name would be replaced, so the names have to be known.
  if (secrets.isLoading) return null;
  return <SecretDialog {...props} secret={undefined} all={secrets.data ?? []} />;
}

function AnyConnection(props: Props) {
  const connections = useQuery(connectionsQuery);
  return <NewConnection {...props} all={connections.data ?? []} />;
}

function NewSpace({ wanted, onMade, onClose }: Props) {
  return (
    <SpaceDialog
      space={undefined}
      {...(wanted !== undefined && { name: wanted })}
      onMade={onMade}
      onClose={onClose}
    />
  );
}

function NewVariable({ wanted, onMade, onClose }: Props) {
  return <VariableDialog {...(wanted !== undefined && { wanted })} onMade={onMade} onClose={onClose} />;
}

function NewMailbox({ wanted = '', within = '', onMade, onClose }: Props) {
  const queries = useQueryClient();
  const create = async (name: string): Promise<void> => {
    try {
      await makeMailbox(within, name);
      await queries.invalidateQueries({ queryKey: ['mailboxes'] });
      onMade(name);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
    }
  };
  return (
    <NameDialog
      title="New mailbox"
      action="Create"
      name={wanted}
      help={`It is made on the mail server of ${within}, at once.`}
      isNeeded
      onClose={onClose}
      onDone={create}
    />
  );
}

/** A draft that can be called once it is published; what is drawn now stays open. */
function NewFlow({ wanted, onMade, onClose }: Props) {
  const queries = useQueryClient();
  const { data: flows, isPending } = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const name = wanted ?? 'My flow';
  const create = async (given: string, id: string): Promise<void> => {
    const nodes = { start: { operator: 'trigger.manual' } };
    try {
      await createFrom(
        { format: 1, id, ...(given !== '' && { name: given }), nodes, edges: [] },
        { format: 1, nodes: { start: { x: 0, y: 0 } } },
      );
      await queries.invalidateQueries({ queryKey: ['flows'] });
      onMade(id);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
    }
  };
  if (isPending) return null;
  return (
    <NameDialog
      title="New flow"
      action="Create"
      name={name}
      id={freeId(idFrom(name) || 'flow', new Set((flows ?? []).map(({ id }) => id)))}
      taken={flows ?? []}
      help="A draft with a start. Open it from the node to draw it, and publish it so that it can be called."
      onClose={onClose}
      onDone={create}
    />
  );
}

/** An app with one agent; its instructions and tools are written on its own screen. */
function NewApp({ wanted, onMade, onClose }: Props) {
  const queries = useQueryClient();
  const create = async (name: string): Promise<void> => {
    try {
      const made = await createApp(bodyOf({ ...NEW_APP, name: name || 'My app' }, undefined));
      for (const key of ['app-names', 'apps', 'partners'])
        await queries.invalidateQueries({ queryKey: [key] });
      onMade(made.app_code);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
    }
  };
  return (
    <NameDialog
      title="New app"
      action="Create"
      name={wanted ?? 'My app'}
      help="It has one agent, whose instructions and tools are on the screen Apps."
      onClose={onClose}
      onDone={create}
    />
  );
}

function NewProvider({ onClose }: Props) {
  const providers = useQuery({ queryKey: ['providers'], queryFn: listProviders });
  return (
    <ProviderDialog
      provider={undefined}
      all={providers.data ?? []}
      reads={['providers', 'models', 'model-settings']}
      onClose={onClose}
    />
  );
}
