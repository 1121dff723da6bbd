#!/usr/bin/env python3
"""Files as other programs write them: five cases or more of each kind, made here, read by the command.

    python3 tests/host/odd_inputs.py path/to/touchback

Prints a table of kind, case, expectation and result; exit code 1 if one fails. The first cases of each kind
are in the tests of the readers (`crates/command/tests/command/inputs.rs`, `crates/instrument/src/host/midi_file/tests.rs`).
"""
import json, math, os, pathlib, shutil, struct, subprocess, sys, tempfile, wave

T = os.path.abspath(sys.argv[1])
FOLDER = tempfile.TemporaryDirectory()
W = pathlib.Path(FOLDER.name)
def run(*a, timeout=300):
    r = subprocess.run([T, *map(str, a)], cwd=W, capture_output=True, text=True, timeout=timeout)
    return r.returncode, r.stderr.strip(), r.stdout.strip()
rows = []
def row(kind, case, want, got, ok): rows.append((kind, case, want, got, ok)); print(f"| {kind} | {case} | {want} | {got} | {'ok' if ok else 'FAIL'} |", flush=True)
def vlq(n):
    b=[n&127]; n>>=7
    while n: b.insert(0,(n&127)|128); n>>=7
    return bytes(b)
def trk(ev, end=True): d=b''.join(ev)+(b'\0\xff\x2f\0' if end else b''); return b'MTrk'+struct.pack('>I',len(d))+d
def mid(*tracks, fmt=None, n=None): return b'MThd'+struct.pack('>IHHH',6,(1 if len(tracks)>1 else 0) if fmt is None else fmt,len(tracks) if n is None else n,480)+b''.join(tracks)
def notes(ns, ch=0, d=120): return [e for n in ns for e in (bytes([0,0x90|ch,n,80]), vlq(d)+bytes([0x80|ch,n,64]))]
def count(name, *opt):
    rc, err, out = run('render', name, '-o', 'o.wav', '--stats', 's.json', '--sample-rate', 22050, *opt)
    if rc: return None, err
    return json.load(open(W/'s.json'))['notes'], err
def midi(kind, case, data, want, ext='mid', opt=()):
    (W/f'c.{ext}').write_bytes(data); n, err = count(f'c.{ext}', *opt)
    row(kind, case, f'{want} notes', f'{n} notes; {err[:90]}', n == want)
base = mid(trk(notes([60,64,67])))
M='MIDI wrapper'
midi(M,'RIFF with LIST before data', b'RIFF'+struct.pack('<I',4+8+4+8+len(base))+b'RMID'+b'LIST\4\0\0\0INFO'+b'data'+struct.pack('<I',len(base))+base,3,'rmi')
midi(M,'RIFF sizes 0', b'RIFF\0\0\0\0RMIDdata\0\0\0\0'+base,3,'rmi')
midi(M,'RIFF without extension .rmi', b'RIFF'+struct.pack('<I',12+len(base))+b'RMIDdata'+struct.pack('<I',len(base))+base,3)
midi(M,'128 bytes before MThd (MacBinary)', bytes(128)+base,3)
midi(M,'text before MThd', b'hello\r\n'+base,3)
R='running status, stray bytes'
midi(R,'F8 between note and its data', mid(trk([b'\0\x90\x3c\xf8\x50', b'\x40\x80\x3c\x40']+notes([64]))),2)
midi(R,'undefined F4, F5', mid(trk([b'\0\xf4',b'\0\xf5']+notes([60,62]))),2)
midi(R,'running status after SysEx', mid(trk([b'\0\x90\x3c\x50',b'\x40\xf0\x03\x7e\x7f\xf7',b'\0\x3e\x50',b'\x40\x3c\0',b'\0\x3e\0']+notes([65]))),3)
midi(R,'song position F2', mid(trk([b'\0\xf2\0\0']+notes([60]))),1)
midi(R,'velocity 200', mid(trk([b'\0\x90\x3c\xc8',b'\x40\x80\x3c\x40']+notes([62]))),2)
C='chunk lengths and counts'
t=trk(notes([60,62])); t2=trk(notes([65]))
midi(C,'track length FFFFFFFF', mid(b'MTrk\xff\xff\xff\xff'+t[8:]),2)
midi(C,'header length 8', b'MThd'+struct.pack('>IHHHH',8,0,1,480,0)+t,2)
midi(C,'header says 0 tracks', mid(t,n=0),2)
midi(C,'foreign chunk between tracks', mid(t,b'XYZW\0\0\0\3abc'+t2,fmt=1,n=2),3)
midi(C,'last track without end of track', mid(trk(notes([60,62]),end=False)),2)
G='GM parts'
midi(G,'only drums', mid(trk(notes([36,38],9))),2)
midi(G,'organ beside piano', mid(trk([b'\0\xc1\x10']+notes([60],1)+notes([62],0))),1)
midi(G,'drums by bank 120', mid(trk([b'\0\xb2\0\x78',b'\0\xc2\0']+notes([36],2)+notes([62],0))),1)
midi(G,'electric piano and harpsichord', mid(trk([b'\0\xc1\x04',b'\0\xc2\x06']+notes([60],1)+notes([62],2))),2)
midi(G,'--channels 2-3,10', mid(trk(notes([36],9)+notes([60],0)+notes([62],1))),2,opt=('--channels','2-3,10'))
# tables
def table(kind, case, text, ok=True, enc='utf-8', cmd='gesture'):
    (W/'t.csv').write_bytes(text.encode(enc))
    if cmd=='gesture': rc, err, out = run('simulate','t.csv','-o','r.csv')
    elif cmd=='sheet': rc, err, out = run('render','c.mid','-o','o.wav','--keys','t.csv','--sample-rate',22050)
    else: rc, err, out = run('render','c.mid','-o','o.wav','--automate','hammer_hardness=t.csv','--sample-rate',22050)
    row(kind, case, 'read' if ok else 'one clear error', f'rc {rc}; {err[:80]}', (rc==0)==ok)
K='tables'
table(K,'quoted cells, decimal commas','"t_s";"key_m"\n"0";"0,0"\n"0,3";"0,01"\n')
table(K,'UTF-16 with mark','t_s,key_m\n0,0\n0.3,0.01\n',enc='utf-16')
table(K,'blank lines, # lines','# a gesture\n\nt_s\tkey_m\n\n0\t0\n0.3\t0.01\n')
table(K,'keys as notes with flats','key;let_off_mm\nD♭4;0,5\nBb2;-0,2\n',cmd='sheet')
table(K,'Unicode minus in a curve','t_s;value\n0;−0,5\n1;0,5\n',cmd='curve')
# scales
def scale(case, text, want, kbm=None):
    (W/'s.scl').write_bytes(text.encode('utf-8') if isinstance(text,str) else text); opt=['--scale','s.scl']
    if kbm: (W/'m.kbm').write_text(kbm); opt+=['--keymap','m.kbm']
    (W/'c.mid').write_bytes(base); n, err = count('c.mid',*opt)
    row('Scala', case, want, f'{n} notes; {err[:100]}', (n is not None) == (want!='error'))
scale('one note a period (octaves only)','one\n1\n2/1\n','read')
scale('Bohlen-Pierce, 13 to 3/1','bp\n13\n'+''.join(f'{1901.955*i/13:.5f}\n' for i in range(1,13))+'3/1\n','read')
scale('53 notes','53\n53\n'+''.join(f'{1200*i/53:.5f}\n' for i in range(1,54)),'read')
scale('comments behind values','c\n3\n400. ! third\n700. fifth\n2/1 octave\n','read')
scale('decimal comma in .kbm','x\n12\n'+''.join(f'{100*i}.\n' for i in range(1,12))+'2/1\n','read','! m\n12\n0\n127\n60\n69\n440,0\n12\n'+''.join(f'{i}\n' for i in range(12)))
# numbers on the command line
(W/'c.mid').write_bytes(base)
for text,ok in [('let_off_mm=2,5',True),('let_off_mm=2.5 MM',True),('output_db=−6',True),('lid=,5',True),('transpose=+12',True),('let_off_mm=2.5 km',False)]:
    rc, err, out = run('render','c.mid','-o','o.wav','--sample-rate',22050,'--set',text); row('numbers',text,'taken' if ok else 'refused',f'rc {rc}; {err[:80]}',(rc==0)==ok)
# recorded
def wav(path, hz=261.63, rate=44100, secs=1.0, width=2, ch=1):
    with wave.open(str(path),'wb') as w:
        w.setnchannels(ch); w.setsampwidth(width); w.setframerate(rate)
        for i in range(int(rate*secs)):
            x=math.exp(-3*i/rate)*sum(math.sin(2*math.pi*hz*k*i/rate)/k for k in (1,2,3))*.3
            v=int(x*32767) if width==2 else int(128+x*127)
            w.writeframesraw((struct.pack('<h',v) if width==2 else bytes([v&255]))*ch)
def folder(kind, case, files, want, needle=''):
    d=W/'rec'; shutil.rmtree(d,ignore_errors=True); d.mkdir()
    for n,f in files.items(): f(d/n)
    rc, err, out = run('lab','recorded','rec','--out','x'); txt=(err+' '+out)
    row(kind, case, want, f'rc {rc}; {err[:110]}', rc==(2 if want=='error' else 0) and needle in txt)
note=lambda p: wav(p)
folder('file names','emoji and Arabic',{'🎹 C4.wav':note,'سلم E4.wav':lambda p: wav(p,329.63)},'read')
folder('file names','combining accents',{'Flu\u0308gel C4.wav':note},'read')
folder('file names','en dash, full-width letters',{'Piano – C4 mf.wav':note},'read')
folder('file names','a name without a note among good ones',{'C4.wav':note,'Übung zwei.wav':note},'read')
folder('file names','♯ and ♭ at the end',{'Klavier C4.wav':note,'Klavier D♭4.wav':lambda p: wav(p,277.18),'Klavier F♯4.wav':lambda p: wav(p,369.99)},'read')
def cut(p):
    wav(p); b=p.read_bytes(); p.write_bytes(b[:len(b)//2])
def trail(p):
    wav(p); p.write_bytes(p.read_bytes()+b'junk'*9)
def rf64(p):
    wav(p); b=bytearray(p.read_bytes()); n=len(b)-44
    p.write_bytes(b'RF64\xff\xff\xff\xffWAVE'+b'ds64'+struct.pack('<IQQQI',28,len(b)+28,n,n//2,0)+bytes(b[12:36])+b'data\xff\xff\xff\xff'+bytes(b[44:]))
def sowt(p):
    q=p.with_suffix('.tmp'); wav(q); b=q.read_bytes(); q.unlink(); pcm=b[44:]
    rate=b'\x40\x0e\xac\x44\0\0\0\0\0\0'; comm=struct.pack('>hIh',1,len(pcm)//2,16)+rate+b'sowt'+b'\0\0'
    body=b'AIFC'+b'FVER'+struct.pack('>II',4,0xA2805140)+b'COMM'+struct.pack('>I',len(comm))+comm+b'SSND'+struct.pack('>III',len(pcm)+8,0,0)+pcm
    p.write_bytes(b'FORM'+struct.pack('>I',len(body))+body)
folder('sound files','cut in half',{'C4.wav':cut},'read')
folder('sound files','bytes after the last chunk',{'C4.wav':trail},'read')
folder('sound files','RF64',{'C4.wav':rf64},'read')
folder('sound files','AIFC, little-endian (sowt)',{'C4.aifc':sowt},'read')
folder('sound files','8 bit, two channels',{'C4.wav':lambda p: wav(p,width=1,ch=2)},'read')
folder('sound files','an empty file',{'C4.wav':lambda p: p.write_bytes(b'')},'error')
# Octaves of names: middle C is C4 here, C3 in others, C5 in some
def scale_of(octave, wrong=(), name=lambda i, o: f'{"CEGB"[i]}{o}.wav'):
    semitones = (0, 4, 7, 11)
    def file(i):
        hz = 261.626 * 2**((semitones[i] - (12 if i in wrong else 0)) / 12)
        return lambda p: wav(p, hz)
    return {name(i, octave): file(i) for i in range(4)}
folder('octave of names','C3 for middle C',scale_of(3),'read','sound an octave above')
folder('octave of names','C5 for middle C',scale_of(5),'read','sound an octave below')
folder('octave of names','C2 for middle C',scale_of(2),'read','sound 2 octaves above')
folder('octave of names','one wrong note among four',scale_of(4, wrong=(2,)),'read','')
row('octave of names','the same, not moved','no word', 'as said above', 'octave' not in rows[-1][3])
folder('octave of names','numbers of MIDI, right',scale_of(0, name=lambda i, o: f'note {60 + (0, 4, 7, 11)[i]:03}.wav'),'read','')
row('octave of names','the same, not moved','no word', 'as said above', 'octave' not in rows[-1][3])
def held(case, option, needle, absent):
    d=W/'rec'; shutil.rmtree(d,ignore_errors=True); d.mkdir()
    for n,f in scale_of(3).items(): f(d/n)
    rc, err, out = run('lab','recorded','rec','--out','x','--octave',option)
    row('octave of names', case, needle or 'no word', f'rc {rc}; {err[:110]}', rc == 0 and needle in err and absent not in err)
held('C3, --octave 1', '1', '', 'octave')
# A port with a stranger behind it
def stranger(case, needle, talk, seconds=2.5):
    import pty, threading, tty
    ours, theirs = pty.openpty(); tty.setraw(theirs); name = os.ttyname(theirs); stop = threading.Event()
    thread = threading.Thread(target=talk, args=(ours, theirs, stop)); thread.start()
    rc, err, out = run('keyboard','probe',name,timeout=60)
    stop.set(); thread.join()
    for end in (ours, theirs):
        try: os.close(end)
        except OSError: pass
    said = (err or out).replace('\n',' ').replace(name, 'PORT')
    row('serial port', case, needle, f'rc {rc}; {said[:150]}', rc == 2 and needle in said and err.count('\n') <= 1)
def says(data, every=0.02):
    def talk(ours, theirs, stop):
        os.set_blocking(ours, False)
        while not stop.wait(every):
            try: os.write(ours, data)
            except BlockingIOError: pass
            try: os.read(ours, 4096)
            except BlockingIOError: pass
    return talk
def echoes(ours, theirs, stop):
    os.set_blocking(ours, False)
    while not stop.wait(0.005):
        try: os.write(ours, os.read(ours, 4096))
        except BlockingIOError: pass
def goes(ours, theirs, stop):
    os.close(theirs)
    stop.wait(0.5)
    os.close(ours)
import random
stranger('a sketch that prints text', 'sends text', says(b'sensor 512\r\n'))
stranger('a modem daemon', 'sends text', says(b'AT\r', 0.3))
stranger('a MIDI keyboard: clock and notes', 'another kind of device', says(b'\xf8\x90\x3c\x40\xfe\x80\x3c\x00'))
stranger('random bytes', 'sends', says(random.Random(1).randbytes(200)))
stranger('zeros of another baud rate', 'sends', says(bytes(64)))
stranger('a device that echoes', 'sends', echoes)
stranger('nothing', 'nothing answers', lambda ours, theirs, stop: stop.wait())
stranger('a port that goes away', 'went away', goes)
for case, port, needle in [('a folder', str(W), 'serial'), ('a file', str(W/'c.mid'), 'serial'), ('/dev/null', '/dev/null', 'serial'), ('an address without a listener', 'tcp:127.0.0.1:9', 'listens')]:
    rc, err, out = run('keyboard','probe',port,timeout=60)
    row('serial port', case, needle, f'rc {rc}; {err[:150]}', rc == 2 and needle in err)
# pedal lifts: the shortest one, and how many were repaired
def lifts(case, events, want, opt=()):
    (W/'p.mid').write_bytes(mid(trk(events)))
    rc, err, out = run('render','p.mid','-o','o.wav','--stats','s.json','--sample-rate',22050,*opt)
    got = json.load(open(W/'s.json'))['repaired_lifts'] if rc == 0 else None
    row('pedal lifts', case, f'{want} repaired', f'{got}; {err[:110]}', got == want)
def change(gap, held=400, channel=0, values=(127,0,127)):
    # ms at 960 ticks a second
    t=lambda ms: vlq(round(ms*.96)); c=bytes([0xb0|channel,64]); on=bytes([0x90|channel]); off=bytes([0x80|channel])
    return [t(0)+c+bytes([values[0]]), t(0)+on+b'\x3c\x50', t(400)+off+b'\x3c\x40', t(100)+c+bytes([values[1]]), t(0)+on+b'\x40\x50',
            t(gap)+c+bytes([values[2]]), t(held)+off+b'\x40\x40', t(900)+c+b'\0']
lifts('3 ms', change(3), 1)
lifts('3 ms before a staccato note', change(3, held=60), 1)
lifts('half pedal, 64 for up', change(3, values=(127,64,127)), 0)
lifts('220 ms', change(220), 0)
lifts('switched off', change(3), 0, opt=('--set','pedal_repair=off'))
lifts('inverted', change(3, values=(0,127,0)), 1, opt=('--set','pedal_polarity=inverted'))
# recorded key motion
def motion(case, text, want):
    (W/'k.csv').write_text(text)
    rc, err, out = run('render','k.csv','-o','o.wav','--stats','s.json','--sample-rate',22050)
    got = json.load(open(W/'s.json'))['strikes'] if rc == 0 else None
    row('key motion', case, f'{want} strikes', f'{got}; {err[:110]}', got == want)
def rows_of(name, depth, unit=1, separator=','):
    line = lambda i: f'{i}{separator}' + (f'{depth(i)*unit:.5f}').replace('.', ',' if separator == ';' else '.')
    return f't_ms{separator}{name}\n' + '\n'.join(line(i) for i in range(400)) + '\n'
press = lambda i: max(0.0, min(10.0, (i-50)*0.4, 10-(i-200)*0.3))
motion('a press in mm', rows_of('C4', press), 1)
motion('a press in m, by its number', rows_of('key_16_m', press, 1e-3), 1)
motion('semicolons and decimal commas, a flat', rows_of('Bb3_mm', press, 1, ';'), 1)
motion('a press that stops before let-off', rows_of('C4', lambda i: max(0.0, (i-20)*0.02)), 0)
motion('depths in micrometres', rows_of('C4', press, 1000), None)
# Positions over MIDI: key pressure as depth, controller 16 as its finer part
def positions(case, depth, want, opt=('--set','key_pressure=position'), fine=True, note=False, ms=1):
    # 2 ticks a ms at 480 a quarter of 240 ms
    tempo = b'\0\xff\x51\3\x03\xa9\x80'
    events = [tempo]
    for i in range(0, 400, ms):
        whole, part = divmod(round(max(0.0, min(10.0, depth(i))) / 10 * 127 * 8), 8)
        events.append(vlq(2*ms if i else 0) + bytes([0xa0, 60, min(whole, 127)]))
        if fine and whole < 127: events.append(b'\0' + bytes([0xb0, 16, 16*part]))
        if note and i == 75: events.append(b'\0\x90\x3c\x50\0\xb0\x10\x20')
    if note: events.append(b'\0\x80\x3c\x40')
    (W/'q.mid').write_bytes(mid(trk(events)))
    rc, err, out = run('render','q.mid','-o','o.wav','--stats','s.json','--sample-rate',22050,*opt)
    got = json.load(open(W/'s.json'))['strikes'] if rc == 0 else None
    row('positions over MIDI', case, f'{want} strikes', f'{got}; {err[:150]}', got == want)
press = lambda i: max(0.0, min(10.0, (i-50)*0.4, 10-(i-200)*0.3))
positions('a press with finer parts', press, 1)
positions('a press of 7 bits', press, 1, fine=False)
positions('every 10 ms', press, 1, ms=10)
positions('a press that stops before let-off', lambda i: max(0.0, (i-20)*0.02), 0)
positions('with notes, which do not strike a second time', press, 1, note=True)
positions('pressed twice', lambda i: max(press(i), press(i-200)), 2)
positions('not asked for', press, 0, opt=())
row('positions over MIDI','the same, told','the option', rows[-1][3], 'key_pressure=position' in rows[-1][3])
# Touch of two takes
(W/'a.csv').write_text(rows_of('C4', press)); (W/'b.csv').write_text(rows_of('C4', lambda i: press(i)*.98))
rc, err, out = run('compare-touch','a.csv','b.csv','-o','page.svg','--strokes','pairs.csv')
row('compare-touch','two presses','a table','rc %d; %s' % (rc, (err+out)[:90].replace('\n',' ').replace('|','/')), rc == 0 and 'speed at let-off' in out and (W/'page.svg').exists())
# Ports, tuning messages, note-offs, containers, scales and corpora as they are written
def port(number): return bytes([0, 0xff, 0x21, 1, number])
def program(number, ch=0): return bytes([0, 0xc0|ch, number])
def strikes(name='c.mid', *opt):
    rc, err, out = run('render', name, '-o', 'o.wav', '--strikes', 's.csv', '--sample-rate', 22050, *opt)
    if rc: return None, err
    lines = [line.split(',') for line in (W/'s.csv').read_text().splitlines()[1:]]
    return [(round(float(t), 2), int(key)) for t, key, *_ in lines], err
def keys(kind, case, data, want, needle='', ext='mid'):
    (W/f'c.{ext}').write_bytes(data); found, err = strikes(f'c.{ext}')
    got = None if found is None else [key for _, key in found]
    row(kind, case, f'keys {want}', f'{got}; {err[:120]}', got == want and needle in err)
P = 'ports'
strings = program(48)
keys(P, 'the port changes within a track', mid(trk([port(0)] + notes([60]) + [port(1), strings] + notes([62]) + [port(0)] + notes([64]))), [40, 44], 'ensemble')
keys(P, 'ports 3 and 7, strings first', mid(trk([port(3), strings] + notes([50])), trk([port(7)] + notes([60, 64]))), [40, 44])
keys(P, 'the program stands before the port', mid(trk([program(0), port(1)] + notes([60])), trk([port(0), strings] + notes([50]))), [40])
keys(P, 'seventeen channels on two ports', mid(*[trk([port(i // 16), program(0, i % 16)] + notes([40 + i], i % 16)) for i in range(17) if i % 16 != 9]), [20 + i for i in range(17) if i != 9])
keys(P, 'drums on channel 10 of the second port only', mid(trk([port(0), program(0, 9)] + notes([60], 9)), trk([port(1)] + notes([36], 9)), trk([port(0)] + notes([64]))), [44], 'drums')
keys(P, 'one device named twice', mid(*[trk([b'\0\xff\x09\x05' + name] + body) for name, body in ((b'Piano', notes([60])), (b'Choir', [strings] + notes([50])), (b'Piano', notes([64], 1)))]), [40, 44])
def pitch(case, events, hertz):
    # A4 of 1.5 s: which of five frequencies is loudest
    (W/'c.mid').write_bytes(mid(trk(events)))
    rc, err, out = run('render', 'c.mid', '-o', 'o.wav', '--sample-rate', 22050)
    raw = (W/'o.wav').read_bytes(); raw = raw[raw.index(b'data') + 8:]
    sound = [int.from_bytes(raw[6*i:6*i+3], 'little', signed=True) for i in range(4000, min(len(raw)//6, 26000))]
    def level(f):
        w = 2*math.pi*f/22050; c = 2*math.cos(w); a = b = 0.0
        for i, x in enumerate(sound): a, b = x*math.sin(math.pi*i/len(sound))**2 + c*a - b, a
        return a*a + b*b - c*a*b
    found = max((440*2**(cents/1200) for cents in range(-1250, 1251, 50)), key=level)
    row('tuning messages', case, f'{hertz:.0f} Hz', f'{found:.0f} Hz; {err[:90]}', rc == 0 and abs(found/hertz - 1) < 0.01)
def sysex(*data, at=0): return vlq(at) + b'\xf0' + vlq(len(data) + 1) + bytes(data) + b'\xf7'
a4 = [b'\0\x90\x45\x50', vlq(1440) + b'\x80\x45\x40']
up = 440*2**(1/12)
pitch('one note while it sounds', [b'\0\x90\x45\x50', sysex(0x7f, 0x7f, 8, 2, 0, 1, 69, 70, 0, 0, at=10), vlq(1430) + b'\x80\x45\x40'], up)
pitch('the same, not in real time', [b'\0\x90\x45\x50', sysex(0x7e, 0x7f, 8, 7, 0, 0, 1, 69, 70, 0, 0, at=10), vlq(1430) + b'\x80\x45\x40'], 440)
dump = [byte for note in range(128) for byte in (max(note - 1, 0), 0, 0)]
pitch('a program of a bank, selected by its channel', [sysex(0x7e, 0, 8, 4, 1, 3, *([32]*16), *dump, 0), b'\0\xb0\x65\0', b'\0\xb0\x64\4', b'\0\xb0\6\1', b'\0\xb0\x64\3', b'\0\xb0\6\3'] + a4, 440/2**(1/12))
pitch('two packets with a pause', [b'\0\xf0\5\x7f\x7f\x08\x02\0', vlq(20) + b'\xf7\6\1\x45\x46\0\0\xf7'] + a4, up)
octave = [0x40, 0]*9 + [0x60, 0] + [0x40, 0]*2
pitch('an octave of two bytes on channel 1', [sysex(0x7e, 0x7f, 8, 9, 0, 0, 1, *octave)] + a4, 440*2**(.5/12))
pitch('the same on channel 2', [sysex(0x7e, 0x7f, 8, 9, 0, 0, 2, *octave)] + a4, 440)
pitch('master fine tuning', [sysex(0x7f, 0x7f, 4, 3, 0, 0x60)] + a4, 440*2**(.5/12))
pitch('a message of Roland that is no tuning', [sysex(0x41, 0x10, 0x42, 0x12, 0x40, 0, 0x7f, 0, 0x41)] + a4, 440)
def ends(case, events, seconds, needle):
    (W/'c.mid').write_bytes(mid(trk(events))); rc, err, out = run('render', 'c.mid', '-o', 'o.wav', '--sample-rate', 22050, '--json')
    got = json.loads(out)['seconds'] if rc == 0 else None
    row('note-offs', case, f'{seconds[0]} to {seconds[1]} s', f'{got}; {err[:150]}', got is not None and seconds[0] <= got <= seconds[1] and needle in err)
ends('none in the whole file', [b'\0\x90\x3c\x50', vlq(480) + b'\x90\x40\x50', vlq(480) + b'\x90\x43\x50'], (1, 30), '')
ends('on another channel than the note-on', [b'\0\x90\x3c\x50', vlq(480) + b'\x81\x3c\x40', vlq(4800) + b'\x90\x30\x50', vlq(240) + b'\x80\x30\x40'], (5, 30), '')
ends('all notes off instead', [b'\0\x90\x3c\x50', b'\0\x90\x40\x50', vlq(480) + b'\xb0\x7b\0'], (0.5, 4), '')
ends('more note-offs than note-ons', [b'\0\x90\x3c\x50'] + [vlq(480) + b'\x80\x3c\x40'] + [b'\0\x80\x3c\x40']*5, (0.5, 4), '')
ends('ten note-ons at one tick, one note-off', [b'\0\x90\x3c\x50']*10 + [vlq(480) + b'\x80\x3c\x40', vlq(9600) + b'\xb0\7\x7f'], (0.5, 4), 'note')
ends('velocity 0 for note-offs, before their note-ons', [b'\0\x90\x3c\0\0\x90\x3c\x50', vlq(240) + b'\x90\x3c\0\0\x90\x3c\x50', vlq(240) + b'\x90\x3c\0'], (0.5, 4), '')
def named(case, data, needle, ext='mid'):
    (W/f'c.{ext}').write_bytes(data); rc, err, out = run('render', f'c.{ext}', '-o', 'o.wav', '--sample-rate', 22050)
    row('containers', case, needle, f'rc {rc}; {err[:150]}', rc == 2 and needle in err and err.count('\n') == 0)
import gzip, zipfile, io, base64
named('gzip', gzip.compress(base), 'gzip', 'gz')
packed = io.BytesIO()
with zipfile.ZipFile(packed, 'w') as archive: archive.writestr('META-INF/container.xml', '<container/>')
named('compressed MusicXML', packed.getvalue(), 'MusicXML', 'mxl')
named('MusicXML in UTF-16', '<?xml version="1.0" encoding="UTF-16"?><score-partwise version="4.0"/>'.encode('utf-16'), 'MusicXML', 'xml')
named('base64', base64.encodebytes(base), 'no', 'txt')
named('a page of a server that has no file', b'<!DOCTYPE html><html><body>404</body></html>', 'page', 'mid')
named('a pointer of Git LFS', b'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n', 'Git LFS', 'mid')
scale('a ratio of 70 digits', f'r\n2\n{3**147}/{2**232}\n2/1\n', 'read')
scale('falling steps and a negative one', 'n\n3\n-50.0\n700.\n2/1\n', 'read')
scale('Latin-1, CRLF, tabs', 'Gamme pythagoricienne \xe9gale\r\n\t2\r\n\t700.0\tquinte\r\n\t2/1\r\n'.encode('latin-1'), 'read')
scale('.ascl with a reference pitch', '! a.ascl\n!\nx\n2\n!\n700.\n2/1\n! @ABL REFERENCE_PITCH 4 0 432\n', 'read')
scale('AnaMark .tun', '; Tuning\n[Tuning]\nnote 0=0\n', 'error')
scale('fewer notes than declared', 'x\n12\n100.\n2/1\n', 'error')
def corpus(case, files, opt, want, needle='', code=0, lines=None):
    d = W/'corpus'; shutil.rmtree(d, ignore_errors=True); shutil.rmtree(W/'sounds', ignore_errors=True); d.mkdir()
    for name, data in files.items():
        (d/name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(data, bytes): (d/name).write_bytes(data)
        else: os.symlink(data, d/name)
    if lines is not None: (W/'list.txt').write_bytes(lines)
    rc, err, out = run('render', *(['--list', 'list.txt'] if lines is not None else ['corpus']), '-o', 'sounds', '--sample-rate', 22050, *opt)
    got = sorted(str(p.relative_to(W/'sounds')) for p in (W/'sounds').rglob('*.wav')) if (W/'sounds').exists() else []
    row('corpora', case, ' '.join(want), f'rc {rc}; {" ".join(got)}; {err[:110]}', got == sorted(want) and rc == code and needle in err)
corpus('a link to the folder above', {'a.mid': base, 'b/up': '..'}, (), ['a.wav'])
corpus('a folder and a file of one name', {'a.mid': base, 'a/a.mid': base}, (), ['a.wav', 'a/a.wav'])
corpus('endings in capitals, other files beside', {'A.MID': base, 'notes.txt': b'x', 'b.Midi': base}, (), ['A.wav', 'b.wav'])
corpus('one broken file among good ones', {'a.mid': base, 'b.mid': b'MThd', 'c.mid': base}, (), ['a.wav', 'c.wav'], 'b.mid', 2)
corpus('more parts than files', {'a.mid': base}, ('--part', '3/5'), [])
corpus('a list with a mark, CRLF and blanks', {'a.mid': base, 'é b.mid': base}, (), ['corpus/a.wav', 'corpus/é b.wav'], lines='\ufeffcorpus/a.mid\r\n\r\n  corpus/é b.mid  \r\n'.encode())
corpus('a list that names a file twice', {'a.mid': base}, (), ['corpus/a.wav'], lines=b'corpus/a.mid\ncorpus/a.mid\n')
# Pipes
def piped(case, words, data=b'', want=b'', code=0, shell=None, check=None):
    line = shell or ' '.join(['"$T"', *words])
    r = subprocess.run(['bash', '-c', 'set -o pipefail; ' + line], cwd=W, input=data, capture_output=True, timeout=300, env=os.environ | {'T': T})
    good = r.returncode == code and r.stdout.startswith(want) and (check is None or check(r.stdout))
    row('pipes', case, want or 'as told', f'rc {r.returncode}; {len(r.stdout)} bytes; {r.stderr.decode()[:90].strip()}', good)
(W/'c.mid').write_bytes(base)
R22 = '--sample-rate 22050'
piped('MIDI in, sound out', ['render', '-', '-o', '-', R22], base, b'RIFF')
piped('/dev/stdin and /dev/stdout', ['render', '/dev/stdin', '-o', '/dev/stdout', R22], base, b'RIFF')
piped('FLAC out', ['render', 'c.mid', '-o', '-', '--format', 'flac', R22], b'', b'fLaC')
piped('a reader that wants 1000 bytes', [], b'', b'RIFF', 0, f'"$T" render c.mid -o - {R22} | head -c 1000', lambda out: len(out) == 1000)
piped('a list from standard input', [], b'', b'', 0, f'echo c.mid | "$T" render --list - -o listed {R22} --quiet && test -s listed/c.wav')
piped('a named pipe', [], b'', b'RIFF', 0, f'mkfifo p && ("$T" render c.mid -o p {R22} --quiet & cat p; wait)')
piped('JSON beside sound in a file', ['render', 'c.mid', '-o', 'o.wav', '--json', '--quiet', R22], b'', b'{', 0, None, lambda out: json.loads(out)['notes'] == 3)
piped('nothing comes in', ['render', '-', '-o', 'o.wav'], b'', b'', 2)
piped('a gesture from standard input', ['simulate', '-'], b't_s,key_m\n0,0\n0.1,0.01\n', b'time_s,kind')
# MIDI 2.0 clips
def clip(*words, header=(0x00300060, 0x00400000, 0xF0200000, 0, 0, 0), end=(0x00400000, 0xF0210000, 0, 0, 0)):
    return b'SMF2CLIP' + struct.pack(f'>{len(header)+len(words)+len(end)}I', *header, *words, *end)
def on(note, velocity=0x8000, ch=0, group=0, attribute=0, value=0): return (0x40900000 | group << 24 | ch << 16 | note << 8 | attribute, velocity << 16 | value)
def off(note, ch=0, group=0): return (0x40800000 | group << 24 | ch << 16 | note << 8, 0x80000000)
wait = lambda ticks: (0x00400000 | ticks,)
short = lambda note, **more: (*on(note, **more), *wait(48), *off(note, **{k: v for k, v in more.items() if k in ('ch', 'group')}))
K2 = 'MIDI 2.0 clips'
midi(K2, 'three notes', clip(*short(60), *short(64), *short(67)), 3, 'midi2')
midi(K2, 'velocity 0 strikes', clip(*short(60, velocity=0)), 1, 'midi2')
midi(K2, 'no end of the clip', clip(*short(60), *short(64), end=()), 2, 'midi2')
midi(K2, 'timestamps and reserved packets between', clip(0x00200010, *short(60), 0x60000000, 0xB0000000, 1, 2, *short(62)), 2, 'midi2')
midi(K2, 'two groups, strings on the second', clip(*short(60), 0x41C00000, 0x30000000, *short(50, group=1)), 1, 'midi2')
midi(K2, 'messages of MIDI 1.0 within', clip(0x20903C50, *wait(48), 0x20803C00, *short(64)), 2, 'midi2')
midi(K2, 'a note without an end', clip(*on(60)), 1, 'midi2')
midi(K2, 'cut within a packet', clip(*short(60), *short(64))[:-27], 2, 'midi2')
# Notes without an end
E = 'notes without an end'
def endless(case, data, seconds, notes=None, ext='mid', needle='that nothing ends'):
    (W/f'c.{ext}').write_bytes(data); rc, err, out = run('render', f'c.{ext}', '-o', 'o.wav', '--sample-rate', 22050, '--json')
    got = json.loads(out) if rc == 0 else {}
    ok = bool(got) and seconds[0] <= got['seconds'] <= seconds[1] and needle in err and (notes is None or got['notes'] == notes)
    row(E, case, f'{seconds[0]} to {seconds[1]} s, {needle}', f'{got.get("seconds")}; {err[:120]}', ok)
endless('a chord at the very end', mid(trk([b'\0\x90\x3c\x50', b'\0\x90\x40\x50', b'\0\x90\x43\x50'])), (1.2, 4), 3)
endless('the end of the track 4 s later', mid(trk([b'\0\x90\x3c\x50', vlq(3840) + b'\xff\1\0'])), (4.2, 7), 1)
endless('another track is longer', mid(trk([b'\0\x90\x3c\x50']), trk([vlq(3840) + b'\xff\1\0'])), (4.2, 7), 1)
endless('a stray text hours later', mid(trk([b'\0\x90\x3c\x50', vlq(9600000) + b'\xff\1\0'])), (15, 45), 1)
endless('the file is cut off', mid(trk(notes([60, 64]) + [b'\0\x90\x43\x50'], end=False))[:-1] , (0.5, 6), None, 'mid', '')
endless('every note on a channel of its own', mid(trk([bytes([10, 0x90 | c, 60 + c, 80]) for c in range(8)])), (1.2, 4), 8)
endless('notes of format 2, one pattern after another', mid(trk([b'\0\x90\x3c\x50', vlq(480) + b'\xff\1\0']), trk(notes([64])), fmt=2), (0.8, 5), 2)
endless('under a pedal that is never lifted', mid(trk([b'\0\xb0\x40\x7f', b'\0\x90\x3c\x50'])), (1.2, 45), 1)
endless('a clip of MIDI 2.0', clip(*on(60)), (1.2, 4), 1, 'midi2')
# Stray ends
def stray(case, event, want=(0.8, 4)):
    (W/'c.mid').write_bytes(mid(trk(notes([60], d=480) + [vlq(10368000) + event]))); rc, err, out = run('render', 'c.mid', '-o', 'o.wav', '--sample-rate', 22050, '--json')
    got = json.loads(out)['seconds'] if rc == 0 else None
    row('stray ends', case, f'{want[0]} to {want[1]} s', f'{got}; {err[:110]}', got is not None and want[0] <= got <= want[1])
for name, event in (('a marker', b'\xff\6\1x'), ('a tempo', b'\xff\x51\3\7\xa1\x20'), ('a bend', b'\xe0\0\x40'), ('a pedal pressed', b'\xb0\x40\x7f'),
                    ('a program', b'\xc0\0'), ('SysEx', b'\xf0\5\x7e\x7f\x09\x01\xf7'), ('channel pressure', b'\xd0\0'), ('pressure of a key that is up', b'\xa0\x3c\0')): stray(name, event)
# Volume
def peak(case, events, decibels, opt=(), beside=(), kind='volume'):
    found = []
    for these in (events, beside):
        (W/'c.mid').write_bytes(mid(trk([*these, *notes([60], d=480)]))); rc, err, out = run('render', 'c.mid', '-o', 'o.wav', '--sample-rate', 22050, '--json', *opt)
        found.append(json.loads(out)['peak_dbfs'] if rc == 0 else float('nan'))
    got = found[0] - found[1]
    row(kind, case, f'{decibels:+.1f} dB', f'{got:+.2f} dB', abs(got - decibels) < 0.1)
peak('General MIDI states 100', [b'\0\xb0\7\x64'], 0, ('--midi-volume', 'gm'))
peak('full, and 100 is stated', [b'\0\xb0\7\x64'], 40*math.log10(100/127))
peak('expression 64', [b'\0\xb0\x0b\x40'], 40*math.log10(64/127))
peak('reset of controllers leaves the volume', [b'\0\xb0\7\x64', b'\0\xb0\x79\0'], 40*math.log10(100/127))
peak('reset of controllers resets expression', [b'\0\xb0\x0b\x40', b'\0\xb0\x79\0'], 0)
peak('of a channel without notes', [b'\0\xb3\7\x20'], 0)
peak('expression and bend of a channel without notes', [b'\0\xb3\x0b\x20', b'\0\xe3\0\0'], 0)
# Sound files that are written
def written(case, opt, name, good):
    (W/'c.mid').write_bytes(base); rc, err, out = run('render', 'c.mid', '-o', name, *opt)
    data = (W/name).read_bytes() if rc == 0 else b''
    row('written sound', case, 'right', f'rc {rc}; {len(data)} bytes; {err[:90]}', rc == 0 and good(data))
import hashlib
def pcm(data): return data[data.index(b'data') + 8:]
def flac_rate(data): return int.from_bytes(data[18:21], 'big') >> 4
for rate in (22050, 37800, 44100, 96000, 384000):
    (W/'c.mid').write_bytes(base); run('render', 'c.mid', '-o', 'same.wav', '--sample-rate', rate)
    written(f'FLAC at {rate} Hz, hash of the samples', ('--sample-rate', rate), 'o.flac', lambda data: flac_rate(data) == rate and data[26:42] == hashlib.md5(pcm((W/'same.wav').read_bytes())).digest())
written('32 bits, floating point', ('--bits', 32, '--sample-rate', 22050), 'o.wav', lambda data: struct.unpack('<H', data[34:36])[0] == 32)
written('largest sample at -3 dBFS', ('--normalize=-3', '--sample-rate', 22050), 'o.wav', lambda data: abs(max(abs(int.from_bytes(pcm(data)[i:i+3], 'little', signed=True)) for i in range(0, len(pcm(data)) - 2, 3)) / 2**23 - 10**(-3/20)) < 1e-4)
# Takes of touch, presets and SFZ files
def takes(case, one, two, code=0, needle='speed at let-off', opt=()):
    (W/'a.csv').write_text(one); (W/'b.csv').write_text(two); rc, err, out = run('compare-touch', 'a.csv', 'b.csv', *opt)
    row('compare-touch', case, f'rc {code}, {needle}', f'rc {rc}; {(err or out)[:110]}', rc == code and needle in err + out)
late = lambda i: press(i - 40)
takes('the second one starts later', rows_of('C4', press), rows_of('C4', late))
takes('millimetres and metres', rows_of('C4', press), rows_of('C4_m', press, 1e-3))
takes('semicolons and decimal commas', rows_of('C4', press), rows_of('C4', press, 1, ';'))
takes('a stroke more in the second', rows_of('C4', press), rows_of('C4', lambda i: max(press(i), press(i - 200))), 0, '')
takes('no key in both', rows_of('C4', press), rows_of('D4', press), 2, 'b.csv')
takes('the second one never pressed', rows_of('C4', press), rows_of('C4', lambda i: 0.0), 2, 'b.csv')
takes('one take twice', rows_of('C4', press), rows_of('C4', press), 0, '0')
def preset(case, text, code=0, needle='', enc='utf-8'):
    (W/'p.toml').write_bytes(text.encode(enc)); (W/'c.mid').write_bytes(base); rc, err, out = run('render', 'c.mid', '-o', 'o.wav', '--preset', 'p.toml', '--sample-rate', 22050)
    row('presets', case, f'rc {code}, {needle}', f'rc {rc}; {err[:130]}', rc == code and needle in err and err.count('\n') <= 1)
HEAD = 'format = 1\nname = "Mine"\n[values]\n'
preset('a mark, CRLF', ('\ufeff' + HEAD + 'lid = 0.5\n').replace('\n', '\r\n'))
preset('a parameter of another version', HEAD + 'harp = 1\n', 0, 'harp')
preset('a value out of range', HEAD + 'lid = 7\n', 0, 'lid')
preset('a whole number', HEAD + 'lid = 1\n')
preset('a word for a number', HEAD + 'lid = "half"\n', 0, 'lid')
preset('a key twice', HEAD + 'lid = 1\nlid = 0\n', 2, 'line 5')
preset('UTF-16', HEAD + 'lid = 0.5\n', 2, 'UTF-8', 'utf-16')
def sfz(case, text, code=0, needle='', files=('C4.wav', 'E4.wav')):
    d = W/'rec'; shutil.rmtree(d, ignore_errors=True); (d/'Samples').mkdir(parents=True)
    for name in files: wav(d/'Samples'/name, 261.63 if name[0] == 'C' else 329.63)
    (d/'piano.sfz').write_text(text); rc, err, out = run('lab', 'recorded', 'rec/piano.sfz', '--out', 'x')
    row('SFZ', case, f'rc {code}, {needle}', f'rc {rc}; {(err or out)[:130]}', rc == code and needle in err + out)
two = '<region> sample=C4.wav key=60\n<region> sample=E4.wav key=64\n'
sfz('default_path', '<control> default_path=Samples/\n' + two, 0, '2 recorded notes')
sfz('default_path with a backslash and another case', '<control> default_path=samples\\\n' + two, 0, '2 recorded notes')
sfz('prefix_sfz_path of ARIA', '<control> prefix_sfz_path=Samples/\n' + two, 0, '2 recorded notes')
sfz('names of keys, #define', '#define $dir Samples\n<region> sample=$dir/C4.wav key=c4\n<region> sample=$dir/E4.wav lokey=e4 hikey=e4 pitch_keycenter=e4\n', 0, '2 recorded notes')
sfz('note_offset', '<control> default_path=Samples/ note_offset=12\n' + two.replace('60', '48').replace('64', '52'), 0, '2 recorded notes')
sfz('one sound is missing', '<control> default_path=Samples/\n' + two + '<region> sample=G4.wav key=67\n', 0, 'G4')
sfz('no sound is there', two, 2, 'none of its 2 sounds')
# Manners
def manners(case, words, code, needle='', absent=None, program=T, env={}):
    r = subprocess.run([program, *words], cwd=W, capture_output=True, text=True, timeout=300, env=os.environ | env)
    said = r.stdout + r.stderr
    row('manners', case, f'rc {code}, {needle}', f'rc {r.returncode}; {said[:90].strip()}', r.returncode == code and needle in said and (absent is None or not absent(said)))
other = W/'touchback-0.3.exe'; os.symlink(T, other)
manners('another file name', ['model'], 2, 'export; see `touchback model --help`', program=other)
manners('another file name, a name with a dash', ['compare-touch'], 2, '`touchback compare-touch --help`', program=other)
manners('help within 50 columns', ['render', '--help'], 0, 'Usage', lambda said: max(len(line) for line in said.splitlines() if 'Usage' not in line) > 50, env={'COLUMNS': '50'})
manners('version with commit', ['--version'], 0, 'touchback 0.')
manners('quiet', ['render', 'c.mid', '-o', 'o.wav', '--quiet', '--sample-rate', '22050'], 0, '', lambda said: said != '')
manners('no colours', ['rendr'], 2, "'render'", lambda said: '\x1b' in said, env={'NO_COLOR': '1', 'TERM': 'xterm'})
manners('an option of another command', ['params', '--sample-rate', '1'], 2, 'touchback params --help')
for words in (['preset', 'list'], ['lab', 'list'], ['keyboard', 'list'], ['keyboard', 'emulate', '--defects'], ['weigh', '--key', '40'], ['lab', 'ball', '--out', 'l'],
              ['simulate', 't.toml'], ['simulate', '--batch', 'gestures'], ['render', 'c.mid', '-o', 'o.wav', '--sample-rate', '22050'], ['compare-touch', 'a.csv', 'b.csv'],
              ['lab', 'recorded', 'rec', '--out', 'l'], ['match', 'rec', '-o', 'm.toml', '--free', 'none', '--tones', 'false', '--velocities', '64'], ['keyboard', 'probe', 'emulator', '--seconds', '1']):
    (W/'gestures').mkdir(exist_ok=True); (W/'t.toml').write_text('form = "pressed"\nforce_n = 4\nduration_s = 0.4\n'); (W/'gestures/g.csv').write_text('t_s,key_m\n0,0\n0.1,0.01\n')
    (W/'a.csv').write_text(rows_of('C4', press)); (W/'b.csv').write_text(rows_of('C4', lambda i: press(i)*.98))
    if not list((W/'rec').glob('*.wav')): shutil.rmtree(W/'rec', ignore_errors=True); (W/'rec').mkdir(); wav(W/'rec/C4.wav')
    rc, err, out = run(*words, '--json')
    try: got = type(json.loads(out)).__name__
    except ValueError as error: got = str(error)
    row('manners', ' '.join(words[:3]) + ' --json', 'JSON', f'rc {rc}; {got}; {err[:80]}', rc == 0 and got in ('list', 'dict'))
failed = [r for r in rows if not r[4]]
print(f'{len(rows) - len(failed)} of {len(rows)} as expected')
sys.exit(1 if failed else 0)
