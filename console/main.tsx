import { render } from 'preact';
import { isSessionOver, mayBeSignedIn, readSignedIn, ServiceError } from './service.ts';
import { App } from './shell/app.tsx';
import { enter } from './shell/session.ts';

/** A session that is over, or a service that cannot be reached, leads to the sign-in. */
async function start(): Promise<void> {
  const isLink = location.hash.startsWith('#entrar=');
  try {
    if (mayBeSignedIn() && !isLink) await enter(await readSignedIn());
  } catch (error) {
    isSessionOver.value = error instanceof ServiceError && error.status === 401;
  }
  const place = document.getElementById('app');
  if (place) render(<App />, place);
}

await start();
