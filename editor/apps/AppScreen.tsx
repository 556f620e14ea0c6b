import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { getApp } from '../api/apps.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { AppForm } from './AppForm.tsx';

const NEW = 'new';

/** One app, to create or change. */
export function AppScreen() {
  const { code } = useParams({ from: '/apps/$code' });
  return code === NEW ? <AppForm app={undefined} /> : <KeptApp key={code} code={code} />;
}

function KeptApp({ code }: { code: string }) {
  // Loaded anew each time the form is opened, since the form starts with the current values.
  const app = useQuery({ queryKey: ['app', code], queryFn: () => getApp(code), gcTime: 0 });
  if (app.data) return <AppForm app={app.data} />;
  return (
    <HomePage title="App">
      <Loaded query={app} what="the app">
        {() => null}
      </Loaded>
    </HomePage>
  );
}
