import { expect } from 'chai';
import { audioKindOf } from '../../workers/domain/media/audio-kind.ts';
import { makeWav, readRecording } from '../support/recordings.ts';

const recordings = {
  'tone.ogg': 'ogg',
  'vorbis.ogg': 'ogg',
  'tone.mp3': 'mp3',
  'tone.m4a': 'm4a',
  'fragments.mp4': 'm4a',
  'tone.webm': 'webm',
  'live.webm': 'webm',
};

describe('the kind of a recording', () => {
  for (const [name, ending] of Object.entries(recordings))
    it(`and its length are told by its bytes: ${name}`, () => {
      const kind = audioKindOf(readRecording(name));
      expect(kind?.ending).to.equal(ending);
      expect(kind?.seconds).to.be.closeTo(2, 0.2);
    });

  it('is told of WAV of any length', () => {
    expect(audioKindOf(makeWav(601))).to.deep.equal({
      mediaType: 'audio/wav',
      ending: 'wav',
      seconds: 601,
    });
  });

  it('is none for what is not one, or has no sound', () => {
    const texts = ['', 'O', 'OggS', 'RIFF1234WAVE', 'ID3', '\x1a\x45\xdf\xa3', '1234ftyp', '%PDF-1.7', 'Olá'];
    for (const text of texts) expect(audioKindOf(Buffer.from(text, 'latin1')), text).to.equal(undefined);
    expect(audioKindOf(makeWav(0))).to.equal(undefined);
  });

  it('is found, or not, in any bytes: cut short, changed, or endlessly nested', () => {
    for (const name of Object.keys(recordings)) {
      const whole = readRecording(name);
      for (let at = 0; at < whole.length; at += 7) {
        audioKindOf(whole.subarray(0, at));
        const changed = Buffer.from(whole);
        changed.fill(0xff, at, Math.min(at + 4, whole.length));
        const { seconds = 1 } = audioKindOf(changed) ?? {};
        expect(seconds).to.be.above(0);
      }
    }
  });

  it('is told in a look at few of its parts', () => {
    const bytes = 4 * 1_048_576;
    const hostile = {
      pages: Buffer.alloc(bytes, 'OggS'),
      frames: Buffer.concat([Buffer.from('ID3'), Buffer.alloc(bytes, 0xff)]),
      boxes: Buffer.concat([Buffer.from('\0\0\0\x08ftyp', 'latin1'), Buffer.alloc(bytes, '\0\0\0\x08moov')]),
      elements: Buffer.concat([
        Buffer.from('\x1a\x45\xdf\xa3\x80', 'latin1'),
        Buffer.alloc(bytes, '\xa3\x80', 'latin1'),
      ]),
      chunks: Buffer.concat([makeWav(0).subarray(0, 36), Buffer.alloc(bytes, 'LIST\0\0\0\0')]),
    };
    for (const [name, each] of Object.entries(hostile)) expect(audioKindOf(each), name).to.equal(undefined);
  });
});
