import { options, render } from 'preact';
import { App } from './shell/app.tsx';
import { speakOfFields } from './validity.ts';

// Effects run with the change that they belong to, not after the next frame: until then, a reload would lose what was
// just begun, a click would miss a menu that is open already, and a field would be emptied of what was typed meanwhile.
options.requestAnimationFrame = queueMicrotask;

speakOfFields();

const place = document.getElementById('app');
if (place) render(<App />, place);
