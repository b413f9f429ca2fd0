import { expect } from 'chai';
import { audioKindOf } from '../../workers/domain/media/audio-kind.ts';
import { makeWav, readRecording } from '../support/recordings.ts';

const recordings = {
  'tone.ogg': 'ogg',
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
    expect(audioKindOf(makeWav(601))).to.deep.equal({ mediaType: 'audio/wav', ending: 'wav', seconds: 601 });
  });

  const changed = (bytes: Buffer, change: (bytes: Buffer) => unknown): Buffer => {
    const copy = Buffer.from(bytes);
    change(copy);
    return copy;
  };
  const afterEach = (bytes: Buffer, found: string, change: (at: number) => unknown) => {
    for (let at = bytes.indexOf(found, 0, 'latin1'); at >= 0; at = bytes.indexOf(found, at + 1, 'latin1'))
      change(at + found.length);
  };
  const read = readRecording;
  const scale = Buffer.from('2ad7b18101', 'hex');
  const liveAt = read('live.webm').indexOf('\x1f\x43\xb6\x75', 0, 'latin1');
  const quick = changed(read('live.webm'), webm =>
    afterEach(webm, '\x2a\xd7\xb1\x83', at => webm.writeUIntBE(1, at, 3)),
  );
  const tracksAt = quick.indexOf('\x16\x54\xae\x6b\xe5', 0, 'latin1');
  const secondAt = quick.indexOf('\x1f\x43\xb6\x75', liveAt + 1, 'latin1');
  const sizeOf = (size: number) =>
    changed(Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]), bytes => bytes.writeUIntBE(size, 2, 6));
  const opus = read('tone.ogg');
  // Behind the pages of its two headers.
  const soundAt = opus.indexOf('OggS', opus.indexOf('OggS', 1) + 1);
  const aroundPage = Buffer.concat([
    opus.subarray(soundAt, soundAt + 26),
    Buffer.from([20]),
    Buffer.alloc(20, 255),
  ]);
  const forged: Record<string, Buffer> = {
    'the bytes of a second of WAV': changed(makeWav(2), wav => wav.writeUInt32LE(0xffffffff, 28)),
    'the length of the sound of WAV': changed(makeWav(2), wav => wav.writeUInt32LE(1, 40)),
    'a second rate of WAV': changed(makeWav(2), wav => wav.copy(wav, 36, 12, 36) && wav.write('data', 60)),
    'a packed kind of WAV': changed(makeWav(2), wav => wav.writeUInt16LE(2, 20)),
    'the positions of Opus': changed(read('tone.ogg'), ogg =>
      afterEach(ogg, 'OggS', at => ogg.writeBigUInt64LE(480n, at + 2)),
    ),
    'a stream before that of Opus': Buffer.concat([
      changed(read('vorbis.ogg').subarray(0, read('vorbis.ogg').indexOf('OggS', 1)), ogg =>
        ogg.writeUInt32LE(0xffffffff, ogg.indexOf('\x01vorbis', 0, 'latin1') + 12),
      ),
      read('tone.ogg'),
    ]),
    'a page of Opus around the others': changed(
      Buffer.concat([opus.subarray(0, soundAt), aroundPage, opus.subarray(soundAt)]),
      ogg => afterEach(ogg, 'OggS', at => ogg.writeBigUInt64LE(480n, at + 2)),
    ),
    'a track of WebM behind its sound': Buffer.concat([
      quick.subarray(0, tracksAt),
      quick.subarray(liveAt),
      quick.subarray(tracksAt, liveAt),
    ]),
    'an element of WebM around its sound, in a cluster of a byte': Buffer.concat([
      quick.subarray(0, secondAt),
      Buffer.from('1f43b67581ec', 'hex'),
      sizeOf(quick.length - secondAt),
      quick.subarray(secondAt),
    ]),
    'a scale that comes last': Buffer.concat([read('live.webm'), scale]),
    'a scale that comes twice': Buffer.concat([
      read('live.webm').subarray(0, liveAt),
      scale,
      read('live.webm').subarray(liveAt),
    ]),
    'a scale that is far too small': quick,
    'the lengths of M4A': changed(read('tone.m4a'), m4a => {
      for (const header of ['mvhd', 'mdhd']) afterEach(m4a, header, at => m4a.writeUInt32BE(1, at + 16));
    }),
    'the lengths of the samples of M4A': changed(read('tone.m4a'), m4a => {
      for (const header of ['mvhd', 'mdhd']) afterEach(m4a, header, at => m4a.writeUInt32BE(1, at + 16));
      afterEach(m4a, 'stts', at => m4a.writeUInt32BE(1, at + 12));
    }),
    'how many samples M4A has': changed(read('tone.m4a'), m4a => {
      for (const header of ['mvhd', 'mdhd']) afterEach(m4a, header, at => m4a.writeUInt32BE(1, at + 16));
      afterEach(m4a, 'stsz', at => m4a.write('stz2', at - 4));
      afterEach(m4a, 'stts', at => m4a.writeUInt32BE(1, at + 12));
    }),
    'a rate of M4A before its own': changed(read('tone.m4a'), m4a => {
      for (const header of ['mvhd', 'mdhd']) afterEach(m4a, header, at => m4a.writeUInt32BE(1, at + 16));
      afterEach(m4a, 'stts', at => m4a.writeUInt32BE(1, at + 12));
      // Its vendor and channels, where a decoder expects no configuration.
      afterEach(m4a, 'mp4a', at => m4a.write('esds', at + 16));
    }),
    'the rate of the fragments of M4A': changed(read('fragments.mp4'), mp4 =>
      afterEach(mp4, 'mdhd', at => mp4.writeUInt32BE(0x7fffffff, at + 12)),
    ),
    'a tag of MP3 that is none, around its frames': Buffer.concat([
      Buffer.from('ID3\x03\0\0\0\0\xa1\0', 'latin1'),
      read('tone.mp3'),
      read('tone.mp3').subarray(0, 1_000),
    ]),
    'the place of the frames of MP3': Buffer.concat([
      read('tone.mp3').subarray(0, 500),
      Buffer.alloc(70_000),
      read('tone.mp3'),
    ]),
  };
  for (const [name, bytes] of Object.entries(forged))
    it(`is not shorter for what a caller says of it: ${name}`, () => {
      const kind = audioKindOf(bytes);
      if (kind) expect(kind.seconds).to.be.at.least(1.9);
    });

  it('is not shorter than the most that its bytes can hold', () => {
    expect(audioKindOf(Buffer.concat([opus, Buffer.alloc(640_000)]))?.seconds).to.be.above(10);
  });

  const renamed = (name: string, from: string, to: string) =>
    changed(read(name), bytes => afterEach(bytes, from, at => bytes.write(to, at - from.length, 'latin1')));
  const uncounted: Record<string, Buffer> = {
    'Vorbis in Ogg': read('vorbis.ogg'),
    'Vorbis in WebM': renamed('live.webm', '\x86\x86A_OPUS', '\x86\x86A_VORB'),
    'Opus in M4A': renamed('tone.m4a', 'mp4a', 'Opus'),
    'ALAC in M4A': renamed('tone.m4a', 'mp4a', 'alac'),
    'MP3 in M4A': renamed('tone.m4a', '\x40\x15', '\x6b\x15'),
    'Opus in fragments': renamed('fragments.mp4', 'mp4a', 'Opus'),
    'packets of WebM that are packed once more': Buffer.concat([
      read('live.webm').subarray(0, liveAt),
      Buffer.from('6d8080', 'hex'),
      read('live.webm').subarray(liveAt),
    ]),
    'tracks of M4A that are packed': renamed('tone.m4a', 'udta', 'cmov'),
  };
  for (const [name, bytes] of Object.entries(uncounted))
    it(`is none where only a header tells how long it is: ${name}`, () => {
      expect(audioKindOf(bytes)).to.equal(undefined);
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
