package simenv

import (
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// travel books flights. It inherits nothing from the device, so neither wifi nor a login matters, and a configuration changes nothing.
type travel struct {
	users        *pyvalue.Dict // id to {user_name, password, cash_balance, bank_balance, membership_level}
	flights      *pyvalue.List // in table order; a number may occur twice, and then the first one answers
	reservations *pyvalue.List
	text         *travelText
}

var travelClass = define(&class{
	name:   "Travel",
	graded: []string{"users", "reservations"},
	shape: record{
		"users": dictOf(record{"user_name": isText, "password": isText, "cash_balance": isNumber, "bank_balance": isNumber,
			"membership_level": isText}.check),
		"flights": listOf(record{"flight_no": isText, "origin": isText, "destination": isText,
			"depart_time": isTime(clock), "arrival_time": isTime(clock), "status": isText, "seats_available": isInt,
			"economy_price": isNumber, "business_price": isNumber}.check),
		"reservations": listOf(record{"reservation_id": isText, "user_id": isText, "flight_no": isText,
			"payment_method": isText, "cabin": isText, "baggage": isInt}.check),
	},
	build: func(w *World, t tables) api {
		return &travel{
			users:        t.dict("users"),
			flights:      t.list("flights"),
			reservations: t.list("reservations"),
			text:         travelTexts[w.Language],
		}
	},
	methods: []*Method{
		{Name: "get_flight_details", Params: []Param{optional(str("origin"), pyvalue.None{}), optional(str("destination"), pyvalue.None{})},
			run: on((*travel).flightDetails)},
		{Name: "get_user_details", Params: []Param{str("user_id"), str("password")},
			Needs: "password", run: on((*travel).userDetails)},
		{Name: "get_reservation_details", Params: []Param{optional(str("reservation_id"), pyvalue.None{}), optional(str("user_id"), pyvalue.None{})},
			run: on((*travel).reservationDetails)},
		{Name: "authenticate_user", Params: []Param{str("user_id"), str("password")},
			Needs: "password", run: on((*travel).authenticate)},
		{Name: "get_baggage_allowance", Params: []Param{str("membership_level"), str("cabin_class")},
			run: on((*travel).baggageAllowance)},
		{Name: "find_transfer_flights", Params: []Param{str("origin_city"), str("transfer_city"), str("destination_city")},
			run: on((*travel).transferFlights)},
		{Name: "calculate_baggage_fee", Params: []Param{str("membership_level"), str("cabin_class"), integer("baggage_count")},
			run: on((*travel).calculateBaggageFee)},
		{Name: "update_balance", Params: []Param{{Name: "user", Type: "dict"}, str("payment_method"), {Name: "amount", Type: "float"}},
			Changes: "the object passed in", run: on((*travel).updateBalance)},
		{Name: "reserve_flight", Params: []Param{str("user_id"), str("password"), str("flight_no"), str("cabin"), str("payment_method"), integer("baggage_count")},
			Needs: "password, funds", Changes: "users, flights, reservations", run: on((*travel).reserve)},
		{Name: "modify_flight", Params: []Param{str("user_id"), str("reservation_id"), optional(str("new_flight_no"), pyvalue.None{}),
			optional(str("new_cabin"), pyvalue.None{}), optional(integer("add_baggage"), number(0)), optional(str("new_payment_method"), pyvalue.None{})},
			Changes: "users, reservations", run: on((*travel).modify)},
		{Name: "cancel_reservation", Params: []Param{str("user_id"), str("reservation_id"), str("reason")},
			Changes: "users", run: on((*travel).cancel)},
		{Name: "process_refund", Params: []Param{{Name: "user", Type: "dict"}, {Name: "amount", Type: "float"}},
			Changes: "the object passed in", run: on((*travel).processRefund)},
		{Name: "calculate_price_difference", Params: []Param{{Name: "flight", Type: "dict"}, str("old_cabin"), str("new_cabin")},
			run: on((*travel).calculatePriceDifference)},
	},
})

// clock is how the world writes departure and arrival. Such times compare as text.
const clock = "2006-01-02 15:04:05"

// travelText holds what Travel says in one language, and the names of the cabins.
type travelText struct {
	economy, business                          string
	noFlights, noTransfers                     string
	wrongPassword, whichReservation            string
	badMethod, booked                          string
	short                                      map[string]string // by account
	notYours, noFlight, noUser                 string
	flightChanged, flightRefused               string
	cabinPaid, cabinShort, cabinRefunded       string
	baggagePaid, baggageShort, modified        string
	cancelNoUser, cancelNotYours, cancelFlight string
	departed, airlineReason, airline           string
	early, late                                string
}

var travelTexts = map[string]*travelText{
	"en": {
		economy:          "Economy Class",
		business:         "Business Class",
		noFlights:        "There are no direct flights that meet the criteria.",
		noTransfers:      "No connecting flights that meet the criteria were found.",
		wrongPassword:    "Incorrect username or password.",
		whichReservation: "Please provide a valid reservation ID or user ID",
		badMethod:        "Invalid payment method",
		short: map[string]string{
			"cash_balance": "Your cash balance is insufficient. Please consider using another payment method.",
			"bank_balance": "Your bank balance is insufficient. Please consider using another payment method.",
		},
		booked:         "Booking successful. Reservation ID: %s. Total cost: %s yuan (including baggage fees).",
		notYours:       "Reservation not found or user ID does not match.",
		noFlight:       "Flight information not found.",
		noUser:         "User information not found.",
		flightChanged:  "Flight number has been changed.",
		flightRefused:  "Flight change failed: Invalid new flight number or destination does not match.",
		cabinPaid:      "Cabin change successful. Price difference paid: %s.",
		cabinShort:     "Insufficient balance to pay the cabin price difference.",
		cabinRefunded:  "Cabin change successful. Price difference refunded: %s.",
		baggagePaid:    "Baggage has been added. Additional fee to be paid: %s.",
		baggageShort:   "Insufficient balance to pay the additional baggage fees.",
		modified:       "Modification completed with no additional fees.",
		cancelNoUser:   "Invalid user ID.",
		cancelNotYours: "Invalid reservation ID or it does not belong to the user.",
		cancelFlight:   "Invalid flight information.",
		departed:       "The flight segment has been used and cannot be canceled.",
		airlineReason:  "The airline has canceled the flight.",
		airline:        "The flight has been canceled. Your reservation will be canceled free of charge, and %s yuan has been refunded.",
		early:          "More than 24 hours before departure. Free cancellation successful, %s yuan has been refunded.",
		late:           "Less than 24 hours before departure. A cancellation fee of %s yuan has been deducted, and %s yuan has been refunded.",
	},
	"zh": {
		economy:          "经济舱",
		business:         "商务舱",
		noFlights:        "没有符合条件的直达航班",
		noTransfers:      "未找到符合条件的中转航班。",
		wrongPassword:    "用户名或密码不正确",
		whichReservation: "请提供有效的预订ID或用户ID",
		badMethod:        "支付方式无效",
		short: map[string]string{
			"cash_balance": "cash余额不足，请考虑换一种支付方式",
			"bank_balance": "bank余额不足，请考虑换一种支付方式",
		},
		booked:         "预订成功，预订号：%s，总费用：%s元（包含行李费用）。",
		notYours:       "预订未找到或用户ID不匹配。",
		noFlight:       "航班信息未找到。",
		noUser:         "用户信息未找到。",
		flightChanged:  "航班号已更改。",
		flightRefused:  "航班更改失败：新的航班号无效或目的地不匹配。",
		cabinPaid:      "舱位更改成功。已支付差价: %s。",
		cabinShort:     "余额不足，无法支付舱位差价。",
		cabinRefunded:  "舱位更改成功。已退款差价: %s。",
		baggagePaid:    "行李已增加。需支付额外费用: %s。",
		baggageShort:   "余额不足，无法支付额外行李费用。",
		modified:       "修改完成，无需额外费用。",
		cancelNoUser:   "用户ID无效。",
		cancelNotYours: "预订ID无效或与该用户无关。",
		cancelFlight:   "航班信息无效。",
		departed:       "航段已使用，无法取消。",
		airlineReason:  "航空公司取消航班",
		airline:        "航班已取消，您的预订将被免费取消，已退款%s元。",
		early:          "距离出发时间超过24小时，免费取消成功，已退款%s元。",
		late:           "距离出发时间不足24小时，已扣除取消费%s元，退款%s元。",
	},
}

// freeBags is how many bags fly free, by membership level, in economy and in business class.
var freeBags = map[string][2]int{"regular": {1, 2}, "silver": {2, 3}, "gold": {3, 3}}

func (t *travel) load(pyvalue.Value) error { return nil }

func (t *travel) attribute(name string) pyvalue.Value {
	if name == "users" {
		return t.users
	}
	return t.reservations
}

func (t *travel) flightDetails(a args) (pyvalue.Value, error) {
	origin, destination := a[0], a[1]
	var found []pyvalue.Value
	for _, flight := range t.flights.Items {
		if pyvalue.Truth(origin) && !pyvalue.Equal(field(flight, "origin"), origin) ||
			pyvalue.Truth(destination) && !pyvalue.Equal(field(flight, "destination"), destination) {
			continue
		}
		shown := pyvalue.DictOf()
		for _, name := range []string{"flight_no", "origin", "destination", "depart_time", "arrival_time", "status",
			"seats_available", "economy_price", "business_price"} {
			setField(shown, name, field(flight, name))
		}
		found = append(found, shown)
	}
	if found == nil {
		return pyvalue.Str(t.text.noFlights), nil
	}
	return pyvalue.NewList(found...), nil
}

// account finds the user whose password is right, or nil.
func (t *travel) account(id, password pyvalue.Value) (pyvalue.Value, error) {
	user, known, err := t.users.Get(id)
	if err != nil || !known || !pyvalue.Equal(field(user, "password"), password) {
		return nil, err
	}
	return user, nil
}

// refused is the object that stands for a failed authentication. Its status is a text, unlike everywhere else.
func (t *travel) refused(message string) *pyvalue.Dict {
	return pyvalue.DictOf("status", pyvalue.Str("error"), "message", pyvalue.Str(message))
}

func (t *travel) authenticate(a args) (pyvalue.Value, error) {
	user, err := t.account(a[0], a[1])
	if err != nil {
		return nil, err
	}
	if user == nil {
		return t.refused(t.text.wrongPassword), nil
	}
	return user, nil
}

func (t *travel) userDetails(a args) (pyvalue.Value, error) {
	user, err := t.account(a[0], a[1])
	if err != nil {
		return nil, err
	}
	if user == nil {
		return t.refused(t.text.wrongPassword), nil
	}
	shown := asDict(user).Copy()
	if _, err := shown.Delete(pyvalue.Str("password")); err != nil {
		return nil, err
	}
	return shown, nil
}

func (t *travel) reservationDetails(a args) (pyvalue.Value, error) {
	key, want := "reservation_id", a[0]
	if !pyvalue.Truth(want) {
		key, want = "user_id", a[1]
	}
	if !pyvalue.Truth(want) {
		return t.refused(t.text.whichReservation), nil
	}
	var found []pyvalue.Value
	for _, reservation := range t.reservations.Items {
		if !pyvalue.Equal(field(reservation, key), want) {
			continue
		}
		shown := asDict(reservation).Copy()
		setField(shown, "flight_info", pyvalue.None{})
		if flight := t.flight(field(reservation, "flight_no")); flight != nil {
			setField(shown, "flight_info", flight)
		}
		found = append(found, shown)
	}
	return pyvalue.NewList(found...), nil
}

// flight finds the first flight with a number, or nil.
func (t *travel) flight(no pyvalue.Value) pyvalue.Value {
	for _, flight := range t.flights.Items {
		if pyvalue.Equal(field(flight, "flight_no"), no) {
			return flight
		}
	}
	return nil
}

// transferFlights pairs flights whose first arrives before the second departs.
func (t *travel) transferFlights(a args) (pyvalue.Value, error) {
	var found []pyvalue.Value
	for _, first := range t.flights.Items {
		if !t.flies(first, a[0], a[1]) {
			continue
		}
		for _, second := range t.flights.Items {
			if t.flies(second, a[1], a[2]) && strings.Compare(pyvalue.String(field(first, "arrival_time")), pyvalue.String(field(second, "depart_time"))) < 0 {
				found = append(found, pyvalue.DictOf("first_leg", first, "second_leg", second))
			}
		}
	}
	if found == nil {
		return pyvalue.Str(t.text.noTransfers), nil
	}
	return pyvalue.NewList(found...), nil
}

func (t *travel) flies(flight, from, to pyvalue.Value) bool {
	return pyvalue.Equal(field(flight, "origin"), from) && pyvalue.Equal(field(flight, "destination"), to) && available(flight)
}

func available(flight pyvalue.Value) bool {
	return pyvalue.Equal(field(flight, "status"), pyvalue.Str("available"))
}

// cabin tells which of the two cabins a value names: 0 economy, 1 business. It fails for a value that Python cannot hash.
func (t *travel) cabin(name pyvalue.Value) (index int, known bool, err error) {
	if err := pyvalue.Hashable(name); err != nil {
		return 0, false, err
	}
	switch {
	case pyvalue.Equal(name, pyvalue.Str(t.text.economy)):
		return 0, true, nil
	case pyvalue.Equal(name, pyvalue.Str(t.text.business)):
		return 1, true, nil
	}
	return 0, false, nil
}

// level looks a membership level up in [freeBags].
func level(name pyvalue.Value) (free [2]int, known bool, err error) {
	if err := pyvalue.Hashable(name); err != nil {
		return free, false, err
	}
	text, ok := name.(pyvalue.Str)
	if !ok {
		return free, false, nil
	}
	free, known = freeBags[string(text)]
	return free, known, nil
}

// baggageAllowance answers 0 for a level or a cabin it does not know.
func (t *travel) baggageAllowance(a args) (pyvalue.Value, error) {
	free, _, err := level(a[0])
	if err != nil {
		return nil, err
	}
	cabin, known, err := t.cabin(a[1])
	if err != nil {
		return nil, err
	}
	if !known {
		return number(0), nil
	}
	return number(free[cabin]), nil
}

func (t *travel) calculateBaggageFee(a args) (pyvalue.Value, error) {
	return t.baggageFee(a[0], a[1], a[2])
}

// baggageFee is 50 for each bag that does not fly free. Unlike [travel.baggageAllowance] it fails on an unknown level or cabin.
func (t *travel) baggageFee(membership, cabinName, bags pyvalue.Value) (pyvalue.Value, error) {
	free, known, err := level(membership)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, keyError(membership)
	}
	cabin, known, err := t.cabin(cabinName)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, keyError(cabinName)
	}
	extra, err := pyvalue.Sub(bags, number(free[cabin]))
	if err != nil {
		return nil, err
	}
	if extra, err = larger(extra, number(0)); err != nil {
		return nil, err
	}
	return pyvalue.Mul(extra, number(50))
}

// larger is max(a, b), which is a unless b is greater.
func larger(a, b pyvalue.Value) (pyvalue.Value, error) {
	greater, err := pyvalue.Greater(b, a)
	if err != nil || !greater {
		return a, err
	}
	return b, nil
}
