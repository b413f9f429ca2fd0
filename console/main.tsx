import { options, render } from 'preact';
import { App } from './shell/app.tsx';
import { speakOfFields } from './validity.ts';

// Effects run with their change, not after the next frame: until then, a reload would lose what a person has just begun, a click
// would miss an open menu, and a field would lose what was typed meanwhile.
options.requestAnimationFrame = queueMicrotask;

speakOfFields();

const place = document.getElementById('app');
if (place) render(<App />, place);
