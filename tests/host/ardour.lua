-- Plays the VST3 bundle in Ardour 7 without its window, saves the session and loads it again.
-- The bundle lies in ~/.vst3 and has been found by Ardour's scanner:
--
--   LD_LIBRARY_PATH=/usr/lib/ardour7 /usr/lib/ardour7/ardour-vst3-scanner -f ~/.vst3/Touchback.vst3
--   rm -rf /tmp/touchback-ardour
--   ardour7-lua tests/host/ardour.lua && ardour7-lua tests/host/ardour.lua
--
-- A bundle scanned in the second it was copied in counts as newer than its scan and is not known.
--
-- The first run makes the session, the second loads it. Both end with "ok" or an error.

local folder, name = "/tmp/touchback-ardour", "touchback"
local midi, audio = ARDOUR.DataType("midi"), ARDOUR.DataType("audio")
assert(AudioEngine:set_backend("None (Dummy)", "", ""))

-- Level of the track's left channel, dBFS; channel 0 is its MIDI.
local function level(track)
    return track:peak_meter():meter_level(1, ARDOUR.MeterType.MeterPeak)
end

-- Presses a key on Ardour's own keyboard.
local function press(keyboard, note)
    local message = ARDOUR.RawMidiParser()
    for _, byte in ipairs({ 0x90, note, 100 }) do
        if message:process_byte(byte) then
            keyboard:write(message:midi_buffer(), message:buffer_size(), 0)
        end
    end
end

-- Silence, then a chord that is heard and decays.
local function play(track)
    local keyboard = AudioEngine:get_port_by_name("x-virtual-keyboard")
    track:input():midi(0):connect(keyboard:name())
    track:monitoring_control():set_value(1, PBD.GroupControlDisposition.NoGroup)
    ARDOUR.LuaAPI.usleep(1000000)
    assert(level(track) < -90, "not silent before the first note")
    for _, note in ipairs({ 48, 60, 64, 67 }) do
        press(keyboard:to_asyncmidiport(), note)
    end
    local loudest, last = -200, -200
    for _ = 1, 60 do
        ARDOUR.LuaAPI.usleep(100000)
        last = level(track)
        loudest = math.max(loudest, last)
    end
    print(string.format("chord: %.1f dBFS, after six seconds %.1f", loudest, last))
    assert(loudest > -40 and last < loudest - 10, "no chord that decays")
end

local session = load_session(folder, name)
if session then
    local found = false
    for route in session:get_routes():iter() do
        local processor = route:nth_plugin(0)
        if not processor:isnil() then
            found = found or processor:to_insert():plugin(0):name() == "Touchback"
        end
    end
    assert(found, "the loaded session has no Touchback")
    print("ok: loaded again")
else
    session = assert(create_session(folder, name, 48000))
    local plugin = ARDOUR.LuaAPI.new_plugin_info("Touchback", ARDOUR.PluginType.VST3)
    assert(not plugin:isnil(), "Ardour knows no Touchback: run its scanner first")
    local tracks = session:new_midi_track(
        ARDOUR.ChanCount(midi, 1), ARDOUR.ChanCount(audio, 2), true, plugin, nil, nil, 1,
        "Touchback", -1, ARDOUR.TrackMode.Normal, true)
    for track in tracks:iter() do
        play(track)
    end
    assert(session:save_state("") == 0, "not saved")
    print("ok: played and saved")
end
quit()
