import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import type { ServiceInfo } from '#shared/service-api.ts';
import type { ServiceConnect } from '#shared/service-parts.ts';
import { ConnectionDialog } from '../connections/ConnectionDialog.tsx';
import { connectionsQuery } from '../connections/queries.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';

const SignInDialog = lazy(() =>
  import('../connections/SignInDialog.tsx').then((file) => ({ default: file.SignInDialog })),
);

interface ConnectServiceProps {
  service: ServiceInfo;
  onClose(): void;
}

type Way = Exclude<ServiceConnect, { kind: 'none' }>;

/** The form of a connection to a service, filled in as far as its file knows. */
export function ConnectService({ service, onClose }: ConnectServiceProps) {
  const { data: all = [] } = useQuery(connectionsQuery);
  const ways = service.connect.filter((way): way is Way => way.kind !== 'none');
  const [chosen, setChosen] = useState(ways.length === 1 ? ways[0] : undefined);
  if (chosen === undefined)
    return <Ways service={service} ways={ways} onChoose={setChosen} onClose={onClose} />;
  if (chosen.kind === 'oauth2')
    return (
      <SignInDialog
        connection={undefined}
        provider={chosen.provider}
        scopes={chosen.scopes}
        all={all}
        onClose={onClose}
      />
    );
  const given = {
    name: freeName(service.id.replaceAll('-', '_'), new Set(all.map(({ name }) => name))),
    settings: settingsFor(service, chosen),
    rate: service.rate,
    help: `${chosen.label}: ${chosen.help}`,
  };
  return <ConnectionDialog connection={undefined} kind="http" given={given} all={all} onClose={onClose} />;
}

function settingsFor({ base, variables }: ServiceInfo, way: Extract<Way, { kind: 'http' }>) {
  const address = base.replaceAll(
    /\{([^{}]*)\}/g,
    (place, name: string) => variables[name]?.default ?? place,
  );
  return {
    address,
    auth: way.auth,
    ...(way.header !== undefined && { header: way.header }),
    ...(way.user !== undefined && { user: way.user }),
    ...(way.testPath !== undefined && { testPath: way.testPath }),
  };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`;
  return name;
}

interface WaysProps extends ConnectServiceProps {
  ways: readonly Way[];
  onChoose(way: Way): void;
}

function Ways({ service, ways, onChoose, onClose }: WaysProps) {
  return (
    <Dialog open onOpenChange={onClose} title={`Connect ${service.title}`}>
      <ul className="flex flex-col gap-2">
        {ways.map((way) => (
          <li key={way.kind === 'oauth2' ? way.provider : way.auth}>
            <Button onClick={() => onChoose(way)}>
              {way.kind === 'oauth2' ? 'Sign in' : `With a ${way.label.toLowerCase()}`}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
