package simenv

import "github.com/exodeck/exodeck/simenv/pyvalue"

// baseAPI is the device itself, and the part of every API that has a device.
type baseAPI struct {
	wifi     pyvalue.Value // as the configuration gave it; see [off]
	loggedIn pyvalue.Value
	text     *baseText
}

var baseClass = define(&class{
	name:   "BaseApi",
	graded: []string{"wifi", "logged_in"},
	build: func(w *World, _ tables) api {
		return &baseAPI{text: baseTexts[w.Language]}
	},
	methods: []*Method{
		{Name: "turn_on_wifi", Changes: "wifi of every class", run: onDevice((*baseAPI).turnOnWifi)},
		{Name: "login_device", Changes: "logged_in of every class", run: onDevice((*baseAPI).loginDevice)},
	},
})

// baseText holds what BaseApi says in one language.
type baseText struct{ wifiOn, loggedIn string }

var baseTexts = map[string]*baseText{
	"en": {
		wifiOn:   "Wi-Fi has been turned on",
		loggedIn: "Device has been logged in",
	},
	"zh": {
		wifiOn:   "wifi已经打开",
		loggedIn: "设备已经登录",
	},
}

// load reads the two flags. A missing flag is set to its default, so a second load always undoes what the first one set.
func (b *baseAPI) load(config pyvalue.Value) error {
	settings, ok := config.(*pyvalue.Dict)
	if !ok {
		return noAttribute(config, "get")
	}
	b.wifi = getOr(settings, "wifi", pyvalue.Bool(false))
	b.loggedIn = getOr(settings, "logged_in", pyvalue.Bool(true))
	return nil
}

func (b *baseAPI) attribute(name string) pyvalue.Value {
	if name == "wifi" {
		return b.wifi
	}
	return b.loggedIn
}

// device is the part of an instance that a method of BaseApi runs on, whatever class inherits it.
func (b *baseAPI) device() *baseAPI { return b }

func onDevice(run func(*baseAPI, args) (pyvalue.Value, error)) func(api, args) (pyvalue.Value, error) {
	return func(self api, a args) (pyvalue.Value, error) {
		return run(self.(interface{ device() *baseAPI }).device(), a)
	}
}

func (b *baseAPI) turnOnWifi(args) (pyvalue.Value, error) {
	b.wifi = pyvalue.Bool(true)
	return done(b.text.wifiOn)
}

func (b *baseAPI) loginDevice(args) (pyvalue.Value, error) {
	b.loggedIn = pyvalue.Bool(true)
	return done(b.text.loggedIn)
}

// off reports whether a flag blocks a method. The reference compares flags with False, so 0 and 0.0 block too, while None, empty
// text and empty containers do not.
func off(flag pyvalue.Value) bool { return pyvalue.Equal(flag, pyvalue.Bool(false)) }
